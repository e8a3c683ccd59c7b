"""Archives inside a folder, each replaced by what is in it.

Each of them is unpacked, with the archives inside it, in a folder beside it. One rename puts the
result in place, and only then the archive goes. A note in that folder, written before the rename,
tells the next try that the result is in place already.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
from pathlib import Path, PurePath

from mlebench.preparing.extraction.limits import LIMITS, Budget, Limits
from mlebench.preparing.extraction.sources import Archive
from mlebench.preparing.extraction.unpacking import SUFFIXES, suffix_of, unpack_into
from mlebench.writing import written_whole

DEEPEST = 3
WORK_PREFIX = ".unpacking-"

Replaced = list[tuple[str, str]]

logger = logging.getLogger(__name__)


def extract_inner(folder: Path, *, limits: Limits = LIMITS) -> Replaced:
    """Replace the archives below a folder by what is in them, and those in them likewise.

    An archive of one single file becomes this file; any other one becomes a folder of its name
    without the ending. What is an archive is told by the ending. One whose place is taken stays,
    since its content may lie beside it. Killed and started again, it comes out the same.

    Args:
        folder: The folder; links in it are not followed.
        limits: What is too much for all of them; the ratio is that of each one, with all inside.

    Returns:
        The archives and what became of them, relative to the folder.

    Raises:
        DataSourceError: An archive is damaged or malicious, or lies too deep inside others.
        UnwritableFolderError: The disk has no room for what is in one.
    """
    replaced: Replaced = []
    for path in _archives_below(folder):
        budget = Budget(limits, path, folder)
        became = _replace(Archive(path, str(path)), budget, depth=1)
        replaced += _inside(path.parent.relative_to(folder), became)
        limits = limits.without(budget)
    return replaced


def _replace_nested(outer: Archive, folder: Path, budget: Budget, depth: int) -> Replaced:
    """Replace the archives that were inside another one."""
    replaced: Replaced = []
    for path in _archives_below(folder):
        name = path.relative_to(folder)
        if depth == DEEPEST:
            raise outer.refused(
                str(name), f"is an archive inside {DEEPEST} others, which is too deep"
            )
        became = _replace(Archive(path, f"{outer.shown}/{name}"), budget, depth + 1)
        replaced += _inside(name.parent, became)
    return replaced


def _inside(folder: PurePath, replaced: Replaced) -> Replaced:
    return [((folder / old).as_posix(), (folder / new).as_posix()) for old, new in replaced]


def _archives_below(folder: Path) -> list[Path]:
    """All archives below a folder; what is left of work on those that are done goes."""
    found: list[Path] = []
    for place, folders, files in os.walk(folder, onerror=_raise):
        here = Path(place)
        archives = sorted(filter(suffix_of, files))
        found += [here / name for name in archives if not (here / name).is_symlink()]
        at_work = {_work_folder(here / name).name for name in archives}
        for name in [name for name in folders if name.startswith(WORK_PREFIX)]:
            folders.remove(name)
            if name not in at_work:
                shutil.rmtree(here / name)
        folders.sort()
    return found


def _raise(error: OSError) -> None:
    raise error


def _work_folder(archive: Path) -> Path:
    # Of fixed length, as the name of the archive may be as long as the disk allows already.
    digest = hashlib.sha256(archive.name.encode(errors="surrogateescape")).hexdigest()
    return archive.with_name(f"{WORK_PREFIX}{digest[:16]}")


class _Work:
    """The folder beside an archive, in which its successor comes about."""

    def __init__(self, archive: Path) -> None:
        self.folder = _work_folder(archive)
        self.content = self.folder / "content"
        self.result = self.folder / "result"
        self.note = self.folder / "note.json"

    def in_place(self) -> Replaced | None:
        """What a former try put in place before it was interrupted."""
        if self.result.exists() or not self.note.exists():
            return None
        return [(old, new) for old, new in json.loads(self.note.read_text(encoding="utf-8"))]

    def begin(self) -> None:
        """Start with an empty folder."""
        self.remove()
        self.content.mkdir(parents=True)

    def remove(self) -> None:
        """Remove everything; the note first, which means something only without a result."""
        self.note.unlink(missing_ok=True)
        if self.folder.exists():
            shutil.rmtree(self.folder)


def _replace(archive: Archive, budget: Budget, depth: int) -> Replaced:
    """Put what is in an archive in its place; names are relative to the folder of both."""
    work = _Work(archive.path)
    replaced = work.in_place()
    if replaced is None:
        work.begin()
        try:
            target, replaced = _build(archive, work, budget, depth)
            if os.path.lexists(target):
                logger.info("%s stays packed, since %s lies beside it", archive.shown, target.name)
                work.remove()
                return []
            with written_whole(work.note) as note:
                note.write_text(json.dumps(replaced), encoding="utf-8")
        except BaseException:
            work.remove()
            raise
        work.result.rename(target)
    archive.path.unlink()
    shutil.rmtree(work.folder)
    return replaced


def _build(archive: Archive, work: _Work, budget: Budget, depth: int) -> tuple[Path, Replaced]:
    """Make what an archive becomes; gives its place, and the names of what it replaces."""
    name = archive.path.name
    suffix = suffix_of(name) or ""
    stem = name.removesuffix(suffix)
    unpack_into(archive, SUFFIXES[suffix.lower()], work.content, budget)
    entries = list(work.content.iterdir())
    is_one_file = len(entries) == 1 and entries[0].is_file()
    is_doubled = [entry.name for entry in entries] == [stem]
    nested = _replace_nested(archive, work.content, budget, depth)
    if is_one_file:  # perhaps an archive, and by now what was in it
        (result,) = work.content.iterdir()
        replaced = [(name, entries[0].name), *nested]
    elif is_doubled:
        result = work.content / stem
        replaced = [(name, stem), *nested]
    else:
        result = work.content
        replaced = [(name, stem), *_inside(PurePath(stem), nested)]
    target = archive.path.with_name(result.name if is_one_file else stem)
    result.rename(work.result)
    return target, replaced
