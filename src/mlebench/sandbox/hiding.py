"""What lies in the Python of a room and must not be seen there: answers.

A room may be given the Python that mlebench runs with. Some competitions come with mlebench, their
answers included, so no room shows the folder of its competitions. Some of their data are in other
packages as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from mlebench.settings import BUILT_IN_DIR

PACKAGES = ("lib*/python3*/*-packages", "local/lib*/python3*/*-packages")
COMPETITIONS = "mlebench/competitions"


def hidden_places(shown: Iterable[Path], files: Iterable[str]) -> list[Path]:
    """The folders and files to hide, under the names that a room has for them.

    Args:
        shown: The folders of the host's that the room sees, each in its own place.
        files: Files of Python packages, such as ``sklearn/datasets/data/digits.csv.gz``.
    """
    roots = [*shown]
    found: dict[Path, None] = {}
    for path in chain([BUILT_IN_DIR], _in_packages(roots, [COMPETITIONS, *files])):
        real = path.resolve()
        # What a link leads to counts, since that is where the content can be read.
        for root in roots:
            if real.is_relative_to(root.resolve()):
                found[root / real.relative_to(root.resolve())] = None
    return [*found]


def _in_packages(roots: Iterable[Path], names: Iterable[str]) -> Iterator[Path]:
    """Where packages of Python in these folders have folders and files of these names."""
    wanted = [*names]
    for root in roots:
        for pattern in PACKAGES:
            for packages in root.glob(pattern):
                yield from (place for name in wanted if (place := packages / name).exists())
