"""Importing libraries before a process is forked, so that it finds them loaded."""

from __future__ import annotations

import ast
import contextlib
import sys
from importlib import import_module
from pathlib import Path

FORKED_WELL = ("numpy", "pandas", "scipy", "sklearn")
OWN_HELPERS = ("mlebench.competitions.utils", "mlebench.grade_helpers", "mlebench.utils")
LONGEST_SOURCE = 10**6


def import_libraries(folder: Path) -> None:
    """Import what a competition's files name of the libraries that graders live on.

    No others: a library that is not known to bear being forked is imported by the process
    that needs it, and so is everything in the folder itself.
    """
    names = {name for path in folder.glob("*.py") for name in _imported_names(path)}
    for name in sorted(names):
        if name.partition(".")[0] in FORKED_WELL or name in OWN_HELPERS:
            with contextlib.suppress(Exception, SystemExit):  # whoever needs it will say so
                import_module(name)
    if "sklearn.metrics" in sys.modules:
        from pandas import Series
        from sklearn.metrics import accuracy_score

        accuracy_score(Series([0, 1]), Series([0, 1]))  # imports a good deal more when first used


def _imported_names(path: Path) -> set[str]:
    try:
        if not path.is_file() or path.stat().st_size > LONGEST_SOURCE:
            return set()
        nodes = list(ast.walk(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    direct = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    others = {
        node.module
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module and not node.level
    }
    return direct | others
