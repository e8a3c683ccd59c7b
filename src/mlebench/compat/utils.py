"""Small helpers, under the names of the original."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mlebench.compat.runs import get_repo_dir
from mlebench.registry.loader import import_function

__all__ = [
    "get_diff",
    "get_path_to_callable",
    "import_fn",
    "in_ci",
    "is_empty",
    "load_yaml",
    "purple",
    "read_jsonl",
]

COMMENT_MARKS = ("#", "//")

# Some parameters hide built-in names: their names are part of the contract.


def read_jsonl(file_path: Path | str, skip_commented_out_lines: bool = False) -> list[Any]:
    """The records of a JSON-lines file; only on request it may hold blank and comment lines."""
    with Path(file_path).open(encoding="utf-8") as lines:
        if not skip_commented_out_lines:
            return [json.loads(line) for line in lines]
        stripped = (line.strip() for line in lines)
        return [
            json.loads(line) for line in stripped if line and not line.startswith(COMMENT_MARKS)
        ]


def load_yaml(fpath: Path | str) -> Any:
    """The content of a YAML file."""
    from mlebench.registry.yaml_files import load_yaml as load

    return load(Path(fpath))


def import_fn(fn_import_string: str) -> Callable[..., Any]:
    """The function behind ``package.module:function``."""
    return import_function(fn_import_string)


def is_empty(dir: Path | str) -> bool:  # noqa: A002
    """Whether a folder holds nothing."""
    return not any(Path(dir).iterdir())


def get_diff(d: Any, other_d: Any, fromfile: str = "d", tofile: str = "other_d") -> str:
    """What differs between two values as YAML with sorted keys, line by line."""
    import difflib

    import yaml

    before, after = (
        yaml.dump(value, sort_keys=True).splitlines(keepends=True) for value in (d, other_d)
    )
    return "".join(difflib.unified_diff(before, after, fromfile, tofile))


def get_path_to_callable(callable: Callable[..., Any]) -> Path:  # noqa: A002
    """The file a function, or the class of a callable object, is defined in.

    Relative to `get_repo_dir`, whether it lies in there or not.
    """
    import inspect

    has_file = inspect.isroutine(callable) or inspect.isclass(callable)
    file = inspect.getfile(callable if has_file else type(callable))
    return Path(os.path.relpath(Path(file).resolve(), get_repo_dir()))


def in_ci() -> bool:
    """Whether this runs as a GitHub action."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def purple(str: str) -> str:  # noqa: A002
    """The text in purple on a terminal."""
    return f"\033[1;35m{str}\033[0m"
