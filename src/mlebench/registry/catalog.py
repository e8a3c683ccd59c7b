"""Which competitions there are and what is known about them, without their functions.

Competitions come from the built-in folders, from folders of the user's, and from folders
in the original's format; a user's competition hides a built-in one of the same id. Kept
apart from the registry because listing all facts must not pay for loading the rest.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from mlebench.errors import ConfigError, UnknownCompetitionError
from mlebench.registry.facts import FACTS_FILE, ORIGINAL_FILE, TASK_FILE, Facts, load_facts
from mlebench.settings import PACKAGE_DIR, user_competitions_dirs

BUILT_IN_DIR = PACKAGE_DIR / "competitions"
SPLITS_DIR = PACKAGE_DIR / "resources" / "splits"


class Catalog:
    """All competitions, and the splits they belong to."""

    def __init__(self, competitions_dirs: Iterable[Path | str] | None = None) -> None:
        """Make a catalog.

        Args:
            competitions_dirs: Folders of the user's competitions; by default as the
                environment says.
        """
        self._competitions_dirs = (
            None if competitions_dirs is None else tuple(Path(path) for path in competitions_dirs)
        )

    def list_competition_ids(self) -> list[str]:
        """All ids, sorted."""
        return sorted(self._folders)

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

    def folder_of(self, competition_id: str) -> Path:
        """The folder of a competition."""
        try:
            return self._folders[competition_id]
        except KeyError:
            close = difflib.get_close_matches(str(competition_id), self._folders, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownCompetitionError(
                f"There is no competition {competition_id!r}.{hint} "
                "`mlebench competitions` lists all of them."
            ) from None

    def get_split(self, name: str) -> list[str]:
        """The ids of a split, by its name or as a text file with one id a line."""
        named = SPLITS_DIR / f"{name}.txt"
        path = named if named.is_file() else Path(name)
        if not path.is_file():
            raise ConfigError(
                f"There is no split {name!r}; choose one of {', '.join(self.list_splits())} "
                "or give a text file with one id a line."
            )
        return [line.strip() for line in path.read_text().splitlines() if line.strip()]

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

    @cached_property
    def _folders(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        for parent in (BUILT_IN_DIR, *self.user_dirs):
            if not parent.is_dir():
                raise ConfigError(f"The competitions folder {parent} does not exist.")
            for folder in parent.iterdir():
                if (folder / FACTS_FILE).is_file() or (folder / ORIGINAL_FILE).is_file():
                    found[folder.name] = folder
        return found
