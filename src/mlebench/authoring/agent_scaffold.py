"""The folder of a new agent, made from a template that works as it is."""

from __future__ import annotations

from pathlib import Path

from mlebench.authoring.templates import SLUG, fill_folder
from mlebench.errors import ConfigError
from mlebench.settings import PACKAGE_DIR

TEMPLATE_DIR = PACKAGE_DIR / "resources" / "new_agent"
REQUIREMENTS = "requirements: requirements.txt\n"
NO_REQUIREMENTS = """\
# Without requirements there is nothing but the standard library. With `host`, all libraries that
# mlebench runs with are there, such as pandas; a file lists what else is to be installed.
# requirements: host
"""


def create_agent(
    name: str, directory: Path, *, original: bool = False, requirements: bool = False
) -> Path:
    """Create an agent's folder, which submits the sample submission as it is.

    Args:
        name: The folder's, and the agent's id.
        directory: The folder of agents.
        original: In the original's format, for its runner as well as for ours.
        requirements: With a list of packages to be filled in.
    """
    if not SLUG.fullmatch(name):
        raise ConfigError(f"{name!r} is no good name; use letters, digits and dashes.")
    kinds = ["common", "original" if original else "own"]
    if requirements and not original:  # which has one in any case, for its Dockerfile
        kinds.append("requirements")
    line = REQUIREMENTS if requirements else NO_REQUIREMENTS
    values = {"name": name, "requirements_line": line}
    return fill_folder(directory / name, [TEMPLATE_DIR / kind for kind in kinds], values)
