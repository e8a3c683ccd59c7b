"""Which competitions there are and what is known about them, without their functions.

Competitions come from the built-in folders, from folders of the user's, and from folders
in the original's format; a user's competition hides a built-in one of the same id. Kept
apart from the registry because listing all facts must not pay for loading the rest.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from mlebench.errors import ConfigError, UnknownCompetitionError
from mlebench.registry.facts import (
    FACTS_FILE,
    ORIGINAL_FILE,
    TASK_FILE,
    Facts,
    load_facts,
)
from mlebench.registry.splits import SPLITS_DIR, ids_beside, read_id_list
from mlebench.registry.suggestions import command
from mlebench.settings import BUILT_IN_DIR, resolved, user_competitions_dirs

# A folder may change again within one tick of the clock that stamps it.
CLOCK_TICK_NS = 1_000_000_000
MOST_UNKNOWN = 20
SHORTEST_WORD = 3
MOST_MEANT = 5
OWN_ONES = "; --competitions-dir names a folder of your own."


class _Listing(NamedTuple):
    """What was found where, and the modification times that tell whether it still holds."""

    folders: dict[str, Path]
    parents: tuple[Path, ...]
    stamps: dict[Path, int]
    settled: bool


class Catalog:
    """All competitions, and the splits they belong to."""

    def __init__(self, competitions_dirs: Iterable[Path | str] | None = None) -> None:
        """Make a catalog.

        Args:
            competitions_dirs: Folders of the user's competitions; by default as the
                environment says.
        """
        self._competitions_dirs = (
            None
            if competitions_dirs is None
            else tuple(resolved(path) for path in competitions_dirs)
        )
        self._listing: _Listing | None = None

    def list_competition_ids(self) -> list[str]:
        """The ids of the original's competitions and of the user's, sorted."""
        beside = ids_beside()
        return [
            name
            for name in self.list_known_ids()
            if name not in beside or not self.is_built_in(name)
        ]

    def list_known_ids(self) -> list[str]:
        """All ids, those of the splits beside the original's included, sorted."""
        if self._listing and not self._listing.settled:
            self._listing = None
        return sorted(self._folders())

    def get_facts(self, competition_id: str) -> Facts:
        """What is known about a competition, without touching anything else."""
        folder = self.folder_of(competition_id)
        if (folder / FACTS_FILE).is_file():
            return load_facts(folder)
        from mlebench.registry.original import load_original_facts

        return load_original_facts(folder)

    def is_written(self, competition_id: str) -> bool:
        """Whether a competition can be prepared and graded."""
        folder = self.folder_of(competition_id)
        return any((folder / name).is_file() for name in (TASK_FILE, ORIGINAL_FILE))

    def has_task(self, competition_id: str) -> bool:
        """Whether a competition is in our own format, with made-up data to try it on."""
        return (self.folder_of(competition_id) / TASK_FILE).is_file()

    def is_built_in(self, competition_id: str) -> bool:
        """Whether a competition's functions are ours, rather than a user's."""
        return self._folders().get(competition_id) == BUILT_IN_DIR / competition_id

    def __contains__(self, competition_id: str) -> bool:
        """Whether there is a competition with this id."""
        return self._find_folder(competition_id) is not None

    def folder_of(self, competition_id: str) -> Path:
        """The folder of a competition."""
        if folder := self._find_folder(competition_id):
            return folder
        raise self._unknown(competition_id, self._folders())

    def _unknown(self, competition_id: str, known: Iterable[str]) -> UnknownCompetitionError:
        """The error for an id that no competition has, with those that may have been meant."""
        listing = command("competitions", competitions_dirs=self.user_dirs)
        return UnknownCompetitionError(
            f"There is no competition {self._with_hint(competition_id, known)} "
            f"`{listing}` lists all of them{OWN_ONES if not self.user_dirs else '.'}"
        )

    def require_known(self, competition_ids: Iterable[str], *, may_be_splits: bool = False) -> None:
        """Raise if some of these are the ids of no competitions; all of them are named.

        Args:
            competition_ids: The ids.
            may_be_splits: Whether a split may have been meant, too.

        Raises:
            UnknownCompetitionError: With a line for each.
        """
        folders = self._folders()
        unknown = [name for name in competition_ids if name not in folders]
        if may_be_splits:
            folders = {**folders, **dict.fromkeys(self.list_splits(), SPLITS_DIR)}
        if len(unknown) == 1:
            if unknown[0] not in self:  # one that has just come is found now
                raise self._unknown(unknown[0], folders)  # which says it in a sentence
        elif unknown:
            listing = command("competitions", competitions_dirs=self.user_dirs)
            lines = [f"  {self._with_hint(name, folders)}" for name in unknown[:MOST_UNKNOWN]]
            if len(unknown) > MOST_UNKNOWN:
                lines.append(f"  and {len(unknown) - MOST_UNKNOWN:,} more")
            raise UnknownCompetitionError(
                f"There are no competitions of these {len(unknown):,} names; `{listing}` lists "
                "all there are.\n" + "\n".join(lines)
            )

    def get_split(self, name: str) -> list[str]:
        """The ids of a split, by its name or as a text file with one id a line."""
        if name in self.list_splits():
            return read_id_list(SPLITS_DIR / f"{name}.txt")
        path = Path(name)
        if not path.is_file():
            what = f"{name} is a folder" if path.is_dir() else f"There is no split {name!r}"
            raise ConfigError(
                f"{what}; choose one of {', '.join(self.list_splits())} "
                "or give a text file with one id a line."
            )
        return read_id_list(path)

    def list_splits(self) -> list[str]:
        """The names of the built-in splits."""
        return sorted(path.stem for path in SPLITS_DIR.glob("*.txt"))

    def get_lite_competition_ids(self) -> list[str]:
        """The competitions of the low-complexity split."""
        return self.get_split("low")

    def get_competitions_dir(self) -> Path:
        """The folder of the built-in competitions."""
        return BUILT_IN_DIR

    def get_splits_dir(self) -> Path:
        """The folder of the built-in splits."""
        return SPLITS_DIR

    @property
    def user_dirs(self) -> tuple[Path, ...]:
        """The folders of the user's own competitions."""
        given = self._competitions_dirs
        return user_competitions_dirs() if given is None else given

    def _find_folder(self, competition_id: str) -> Path | None:
        folder = self._folders().get(competition_id)
        if folder is None and self._is_new(competition_id):
            self._listing = None
            folder = self._folders().get(competition_id)
        return folder

    def _is_new(self, competition_id: str) -> bool:
        """Whether a competition has come that the times of the folders do not tell of."""
        return any(map(_is_competition, self._own_folders(competition_id)))

    def _own_folders(self, name: str) -> list[Path]:
        """The folders of this name where the user's competitions lie, whatever is in them."""
        try:
            return [
                parent / name
                for parent in self.user_dirs
                if Path(name).name == name and (parent / name).is_dir()
            ]
        except (OSError, ValueError):  # a name that no folder can have
            return []

    def _with_hint(self, name: str, known: Iterable[str]) -> str:
        """An unknown name, and what may be behind it."""
        if empty := self._own_folders(name):
            return f"{name!r}: the folder {empty[0]} has no {FACTS_FILE}."
        return f"{name!r}.{_meant(str(name), known)}"

    def _folders(self) -> dict[str, Path]:
        """All competition folders by id; looked for again when a folder has changed."""
        parents = (BUILT_IN_DIR, *self.user_dirs)
        listing = self._listing
        if listing is None or not _still_holds(listing, parents):
            listing = self._listing = _look(parents)
        return listing.folders


def _look(parents: tuple[Path, ...]) -> _Listing:
    """Find the competition folders; the last one of an id counts."""
    now = time.time_ns()
    found: dict[str, Path] = {}
    stamps: dict[Path, int] = {}
    for parent in parents:
        _require_folder(parent)
        stamps[parent] = parent.stat().st_mtime_ns
        for folder in parent.iterdir():
            if folder.is_dir() and not os.access(folder, os.R_OK | os.X_OK):
                if not folder.name.startswith((".", "_")):
                    found[folder.name] = folder  # whoever looks into it is told
            elif _is_competition(folder):
                found[folder.name] = folder
            elif folder.is_dir() and not folder.name.startswith((".", "_")):
                stamps[folder] = folder.stat().st_mtime_ns  # somebody may be writing it just now
        if not any(folder.parent == parent for folder in found.values()):
            _refuse_too_high(parent)
    return _Listing(found, parents, stamps, now - max(stamps.values()) > CLOCK_TICK_NS)


def _require_folder(parent: Path) -> None:
    """Raise unless a folder may hold competitions."""
    if not parent.is_dir():
        what = "is a file, not a folder" if parent.exists() else "does not exist"
        raise ConfigError(f"The competitions folder {parent} {what}.")
    if _is_competition(parent):
        raise ConfigError(
            f"{parent} is one competition; give the folder above it, which holds competitions: "
            f"{_option(parent.parent)}"
        )


def _refuse_too_high(parent: Path) -> None:
    """Raise if the competitions lie one level further down."""
    for folder in filter(_is_open, sorted(parent.iterdir())):
        if any(_is_competition(inside) for inside in filter(_is_open, folder.iterdir())):
            raise ConfigError(
                f"{parent} holds no competitions itself; those one level further down are found "
                f"with {_option(folder)}"
            )


def _is_open(path: Path) -> bool:
    """Whether a folder can be looked into."""
    return os.access(path, os.R_OK | os.X_OK) and path.is_dir()


def _is_competition(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (FACTS_FILE, ORIGINAL_FILE))


def _option(folder: Path) -> str:
    return shlex.join(["--competitions-dir", str(folder)])


def _meant(name: str, known: Iterable[str]) -> str:
    """The ids that somebody may have meant: those that hold the word, else one spelt alike."""
    import difflib

    known = sorted(known)
    holding = [found for found in known if name.lower() in found.lower()]
    if len(name) < SHORTEST_WORD or not 0 < len(holding) <= MOST_MEANT:
        holding = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {' or '.join(map(repr, holding))}?" if holding else ""


def _still_holds(listing: _Listing, parents: tuple[Path, ...]) -> bool:
    try:
        return listing.parents == parents and all(
            path.stat().st_mtime_ns == stamp for path, stamp in listing.stamps.items()
        )
    except FileNotFoundError:
        return False
