"""Importing libraries before a process is forked, so that it finds them loaded."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

FORKED_WELL = ("numpy", "pandas", "scipy", "sklearn")
OWN_HELPERS = ("mlebench.competitions.utils", "mlebench.grade_helpers", "mlebench.utils")
MOST_FILES = 20
LONGEST_BEGINNING = 100_000
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import\b|import[ \t]+(?P<names>[\w., \t]+))",
    re.MULTILINE,
)


def import_libraries(folder: Path) -> None:
    """Import what a competition's files name of the libraries that graders live on.

    No others: a library that is not known to bear being forked is imported by the process
    that needs it, and so is everything in the folder itself.
    """
    names = {name for source in _sources(folder) for name in _imported_names(source)}
    for name in sorted(names):
        if _is_library(name) or name in OWN_HELPERS:
            with contextlib.suppress(Exception, SystemExit):  # whoever needs it will say so
                import_module(name)
    if "sklearn.metrics" in sys.modules:
        from pandas import Series
        from sklearn.metrics import accuracy_score

        accuracy_score(Series([0, 1]), Series([0, 1]))  # imports a good deal more when first used


def _is_library(name: str) -> bool:
    """Whether importing this does nothing else: a private module may be a program."""
    first, *rest = name.split(".")
    return first in FORKED_WELL and not any(part.startswith("_") for part in rest)


def _sources(folder: Path) -> Iterator[str]:
    """The beginnings of the files in a folder, as far as anybody would write imports there."""
    for path in sorted(folder.glob("*.py"))[:MOST_FILES]:
        if path.is_file():  # and no pipe, where nothing may ever come
            with contextlib.suppress(OSError), path.open("rb") as file:
                yield file.read(LONGEST_BEGINNING).decode(errors="replace")


def _imported_names(source: str) -> Iterator[str]:
    """What a file seems to import; by its lines, since parsing can take as long as it likes."""
    for found in IMPORT.finditer(source):
        if found["module"]:
            yield found["module"]
        else:
            yield from (name.partition(" as ")[0].strip() for name in found["names"].split(","))
