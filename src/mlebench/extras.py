"""What ``pip install 'mlebench[...]'`` brings: which libraries, imported by which names.

``pyproject.toml`` says the same to pip; a test holds the two together.
"""

from __future__ import annotations

from importlib.util import find_spec

SERVICES = {
    "uvicorn": "uvicorn",
    "starlette": "starlette",
    "python-multipart": "python_multipart",
}
LIBRARIES = {
    "agents": {"lightgbm": "lightgbm", "scikit-learn": "sklearn", **SERVICES},
    "containers": {"docker": "docker"},
    "kaggle": {"httpx": "httpx"},
    "mirror": {"fsspec": "fsspec", "httpx": "httpx"},
    "ray": {"ray": "ray"},
    "services": SERVICES,
    "torch": {"torch": "torch"},
}
"""For each extra its libraries, and the module that each of them is imported as."""

UNLOCKED = {
    "agents": "running agents, and automl, which needs no language model",
    "containers": "rooms that are containers, with images of agents of the original",
    "kaggle": "downloads from Kaggle, given a login",
    "mirror": "downloads from mirrors on the web or in buckets",
    "ray": "runs, grading and preparing on a cluster",
    "services": "running agents, and the validation service",
    "torch": "small networks in automl, which look at the pictures of rows (more than a gigabyte, "
    "with what it brings for graphics cards)",
}
"""For each extra what can be done with it."""


def missing_libraries(extra: str) -> list[str]:
    """Those of an extra's libraries that are not installed."""
    return [library for library, module in LIBRARIES[extra].items() if not find_spec(module)]


def how_to_install(extra: str) -> str:
    """The command that brings an extra."""
    return f"pip install 'mlebench[{extra}]'"
