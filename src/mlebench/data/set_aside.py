"""Files of the user's among prepared data: new data replace what is ours, and nothing else.

The manifest lists what was prepared: each file and folder in the two parts, the latter with a
digest of the names in it, since there may be a million. What is not on the list moves to
``set-aside-<time>`` in the competition's data folder; so does, of a folder with another digest,
all that the new data do not hold just so, because nobody knows which of its files are ours.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

import msgspec

from mlebench.data.checksums import file_digest
from mlebench.data.folders import size_of
from mlebench.data.layout import HIDDEN, INCOMING, MANIFEST_FILE, PARTS, SET_ASIDE_PREFIX
from mlebench.data.moving import move

MOST_NAMES = 1000
"""Of more files and folders in a part, only one digest of all names is kept."""
ALL = "."
NAMED = 5  # files in a message

logger = logging.getLogger(__name__)

Names = dict[str, str]
"""For each folder a digest of the names in it, for each file nothing; or one digest for `ALL`."""


class Told(msgspec.Struct):
    """What a manifest says about the files it was written for."""

    competition_id: str
    edition: str
    files: int = 0
    names: dict[str, Names] = {}


def told_by(manifest: Path) -> Told | None:
    """What a manifest says; None if there is none that can be read."""
    try:
        return msgspec.json.decode(manifest.read_bytes(), type=Told) if manifest.is_file() else None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def names_in(prepared: Path) -> dict[str, Names]:
    """What lies in the two parts of prepared data, for the manifest."""
    return {part: _names_in(prepared / part) for part in PARTS}


def set_aside(final: Path) -> None:
    """Move away what new data, brought in already, would replace though it is not ours."""
    told = told_by(final / MANIFEST_FILE)
    found = [*_strangers(final, told)]
    if not found:
        return
    folder = _fresh_folder(final.parent)
    for path in found:
        target = folder / final.name / path.relative_to(final)
        target.parent.mkdir(parents=True, exist_ok=True)
        move(path, target)
    shown = ", ".join(str(path.relative_to(final)) for path in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    logger.warning(
        "What is not known to be prepared by mlebench is not replaced, but moved to %s: %s%s",
        folder,
        shown,
        more,
    )


def _strangers(final: Path, told: Told | None) -> Iterator[Path]:
    if (final / MANIFEST_FILE).is_dir():
        yield final / MANIFEST_FILE
    parts = [final / part for part in PARTS if (final / part / INCOMING).exists()]
    # Older manifests count the files instead of naming them.
    if told and not told.names and told.files == _count(final):
        return
    for part in parts:
        yield from _strangers_in(part, told.names.get(part.name, {}) if told else {})


def _strangers_in(part: Path, known: Names) -> Iterator[Path]:
    new = part / INCOMING
    if ALL in known:
        if _names_in(part) != known:
            yield from _not_in(part, new)
        return
    for path in sorted(part.iterdir()):
        if path.name in HIDDEN or not _holds_files(path):
            continue
        if path.name not in known:
            yield path
        elif known[path.name] != _digest_of(path):
            yield from _not_in(path, new / path.name) if _is_folder(path) else (path,)


def _not_in(folder: Path, new: Path) -> Iterator[Path]:
    """What would be lost if the new folder took the place of this one."""
    if not new.is_dir():
        yield folder
        return
    for place, name in _files(folder):
        path = Path(place, name)
        if not _is_same(path, new / path.relative_to(folder)):
            yield path


def _is_same(path: Path, other: Path) -> bool:
    """Whether both are files with the same content; of what must not be read, nobody knows."""
    if not all(one.is_file() and not one.is_symlink() for one in (path, other)):
        return False
    if path.samefile(other):
        return True
    try:
        is_as_long = path.stat().st_size == other.stat().st_size
        return is_as_long and file_digest(path) == file_digest(other)
    except PermissionError as error:
        logger.debug("%s is not compared with new data: %s", path, error)
        return False


def _names_in(part: Path) -> Names:
    with os.scandir(part) as entries:
        names = sorted(entry.name for entry in entries if entry.name not in HIDDEN)
    if len(names) > MOST_NAMES:
        return {ALL: _digest(part)}
    return {name: _digest_of(part / name) for name in names}


def _digest_of(path: Path) -> str:
    return _digest(path) if _is_folder(path) else ""


def _digest(folder: Path) -> str:
    """What changes when a file in a folder gets another name, goes or comes."""
    digest = hashlib.sha256()
    for place, name in _files(folder):
        digest.update(os.fsencode(f"{os.path.relpath(place, folder)}/{name}\0"))
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """All that is no folder, as the place where it lies and its name; ours of passing use aside."""
    for place, folders, names in os.walk(folder):
        # A link to a folder is one thing, whatever lies behind it.
        links = {name for name in folders if os.path.islink(os.path.join(place, name))}  # noqa: PTH114, PTH118
        folders[:] = sorted(name for name in folders if name not in links | {*HIDDEN})
        for name in sorted([*names, *links]):
            yield place, name


def _holds_files(path: Path) -> bool:
    return not _is_folder(path) or next(_files(path), None) is not None


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _count(final: Path) -> int:
    parts = (final / part for part in PARTS if (final / part).is_dir())
    return size_of(*parts, leave_out=HIDDEN).files


def _fresh_folder(data_dir: Path) -> Path:
    """A folder named after this moment; the caller holds the lock."""
    name = f"{SET_ASIDE_PREFIX}{datetime.now():%Y%m%d-%H%M%S}"
    names = (name if number == 1 else f"{name}-{number}" for number in count(1))
    folder = next(data_dir / name for name in names if not os.path.lexists(data_dir / name))
    folder.mkdir()
    return folder
