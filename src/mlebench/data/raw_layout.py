"""Whether a folder has what raw data of a competition have, and where else they seem to be.

What the raw data look like is not written down anywhere, but made-up ones have the same files.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Collection
from functools import cache
from itertools import chain, islice
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command_for
from mlebench.registry.task import Task

NAMED = 6  # names in a message
LOOKED_AT = 1000  # folders inside the one that was given

logger = logging.getLogger(__name__)


def describe_layout(competition: Competition, raw: Path, *, is_unpacked: bool = False) -> str:
    """What a folder lacks of the raw data, and where they seem to be; nothing if it lacks nothing.

    Args:
        competition: Whose data they should be.
        raw: The folder.
        is_unpacked: It was made from a zip just now, and will not stay.
    """
    expected = _expected_names(competition.task) if competition.task else frozenset()
    lacking = sorted(name for name in expected if not _has(raw, name))
    if not lacking:
        return ""
    is_bare = len(lacking) == len(expected)
    lack = ", but does not" if is_bare else f"; it lacks {_listed(lacking)}"
    said = f"{raw} should hold {_listed(sorted(expected))}{lack}."
    elsewhere = _find(expected, raw, at_least=len(expected) - len(lacking))
    if elsewhere is None:
        return f"{said} Pass what Kaggle offers for {competition.id}, packed or not, with --from."
    way = _way_to(competition, elsewhere, is_unpacked=is_unpacked)
    return f"{said} They seem to be in {elsewhere}: {way}"


def describe_whereabouts(
    competition: Competition, raw: Path, lost: Path, *, is_unpacked: bool = False
) -> str:
    """A further sentence: where a file is that raw data lack; nothing if that cannot be told.

    Args:
        competition: Whose data they should be.
        raw: The folder of raw data.
        lost: Where the file was looked for.
        is_unpacked: The folder was made from an archive just now, and will not stay.
    """
    if not lost.is_relative_to(raw):
        return ""
    wanted = lost.relative_to(raw).as_posix()
    if (folder := _find([wanted], raw, at_least=0)) is None:
        return ""
    way = _way_to(competition, folder, is_unpacked=is_unpacked)
    return f" There is one in {folder}: {way}"


def _way_to(competition: Competition, folder: Path, *, is_unpacked: bool) -> str:
    """How to prepare from another folder than the one that was given."""
    if is_unpacked:
        return "unpack the archive and pass that folder (--from)."
    again = command_for(competition, "prepare", competition.id, "--from", folder)
    return f"pass that folder ({again})."


@cache
def _expected_names(task: Task) -> frozenset[str]:
    """The files and folders at the top of the raw data; none if they cannot be made up."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            task.fixture(Path(folder))
        except MlebenchError as error:
            logger.debug("Raw data of %s cannot be made up: %s", task.folder.name, error)
        return frozenset(path.name for path in Path(folder).iterdir())


def _find(expected: Collection[str], raw: Path, at_least: int) -> Path | None:
    """The folder around this one or inside it that has most of the names, if more than so many."""
    inside = _folders_in(raw)
    deeper = chain.from_iterable(map(_folders_in, inside))
    found, best = None, at_least
    for folder in islice(chain([raw.absolute().parent], inside, deeper), LOOKED_AT):
        number = sum(_has(folder, name) for name in expected)
        if number > best:
            found, best = folder, number
    return found


def _has(folder: Path, name: str) -> bool:
    return os.path.exists(folder / name)  # noqa: PTH110 (it bears what must not be looked at)


def _folders_in(folder: Path) -> list[Path]:
    """The folders inside this one; none of one that must not be looked into, such as lost+found."""
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if _is_folder(entry))
    except OSError as error:
        logger.debug("%s is not searched: %s", folder, error)
        return []


def _is_folder(entry: os.DirEntry[str]) -> bool:
    # What the listing tells already is not asked for again; links may lead in circles.
    return os.path.isdir(entry) if entry.is_symlink() else entry.is_dir()  # noqa: PTH112


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
