"""Finding competitions and splits.

Competitions come from the built-in folders, from folders of the user's, and from folders
in the original's format; a user's competition hides a built-in one of the same id.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from mlebench.competition import LEADERBOARD_FILE, Competition
from mlebench.errors import ConfigError, UnknownCompetitionError
from mlebench.facts import FACTS_FILE, Edition, Facts, load_facts
from mlebench.grade_helpers import Grader
from mlebench.legacy import CONFIG_FILE, load_legacy_competition, load_legacy_facts
from mlebench.settings import PACKAGE_DIR, default_data_dir, user_competitions_dirs
from mlebench.task import Task

BUILT_IN_DIR = PACKAGE_DIR / "competitions"
SPLITS_DIR = PACKAGE_DIR / "resources" / "splits"

__all__ = ["Competition", "Registry", "registry"]


class Registry:
    """All competitions, with the data folder and edition to use for them.

    A registry does not change: `set_data_dir` and `set_edition` return a new one.
    """

    def __init__(
        self,
        data_dir: Path | str | None = None,
        competitions_dirs: Iterable[Path | str] | None = None,
        edition: Edition = "v1",
    ) -> None:
        """Make a registry.

        Args:
            data_dir: Where competition data lie; by default as the environment says.
            competitions_dirs: Folders of the user's competitions; likewise.
            edition: ``v1`` for the original's numbers, ``v2`` for corrected tasks.
        """
        self._data_dir = None if data_dir is None else Path(data_dir)
        self._competitions_dirs = (
            None if competitions_dirs is None else tuple(Path(path) for path in competitions_dirs)
        )
        if edition not in ("v1", "v2"):
            raise ConfigError(f"There is no edition {edition!r}; choose v1 or v2.")
        self.edition: Edition = edition

    def get_competition(self, competition_id: str) -> Competition:
        """The competition with this id; needs neither data nor a leaderboard."""
        folder = self._folder(competition_id)
        if not (folder / FACTS_FILE).is_file():
            return load_legacy_competition(folder, self.get_data_dir())
        facts = load_facts(folder)
        task = Task(folder, self.edition)
        data = self.get_data_dir() / facts.id
        prepared = data / "prepared"
        gold = facts.gold_submission or facts.answers
        description = folder / "description.md"
        return Competition(
            id=facts.id,
            name=facts.title,
            description=description.read_text(encoding="utf-8") if description.is_file() else "",
            grader=Grader(name=facts.metric, grade_fn=task.grade),
            answers=prepared / facts.answers,
            gold_submission=prepared / gold,
            sample_submission=prepared / facts.sample_submission,
            competition_type=facts.competition_type,
            prepare_fn=task.prepare,
            raw_dir=data / "raw",
            private_dir=prepared / "private",
            public_dir=prepared / "public",
            checksums=folder / "checksums.yaml",
            facts=facts,
            folder=folder,
            task=task,
            leaderboard=_full_leaderboard(data, folder),  # type: ignore[arg-type]
        )

    def get_facts(self, competition_id: str) -> Facts:
        """What is known about a competition, without touching anything else."""
        folder = self._folder(competition_id)
        return load_facts(folder) if (folder / FACTS_FILE).is_file() else load_legacy_facts(folder)

    def list_competition_ids(self) -> list[str]:
        """All ids, sorted."""
        return sorted(self._folders)

    def is_written(self, competition_id: str) -> bool:
        """Whether a competition can be prepared and graded."""
        folder = self._folder(competition_id)
        return Task(folder).is_written or (folder / CONFIG_FILE).is_file()

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

    def get_data_dir(self) -> Path:
        """Where competition data lie."""
        return default_data_dir() if self._data_dir is None else self._data_dir

    def set_data_dir(self, new_data_dir: Path | str) -> Registry:
        """The same registry on other data."""
        return Registry(new_data_dir, self._competitions_dirs, self.edition)

    def set_edition(self, edition: Edition) -> Registry:
        """The same registry in another edition."""
        return Registry(self._data_dir, self._competitions_dirs, edition)

    def get_competitions_dir(self) -> Path:
        """The folder of the built-in competitions."""
        return BUILT_IN_DIR

    def get_splits_dir(self) -> Path:
        """The folder of the built-in splits."""
        return SPLITS_DIR

    @property
    def user_dirs(self) -> tuple[Path, ...]:
        """The folders of the user's own competitions."""
        return (
            user_competitions_dirs() if self._competitions_dirs is None else self._competitions_dirs
        )

    @cached_property
    def _folders(self) -> dict[str, Path]:
        for path in self.user_dirs:
            if not path.is_dir():
                raise ConfigError(f"The competitions folder {path} does not exist.")
        found: dict[str, Path] = {}
        for parent in (BUILT_IN_DIR, *self.user_dirs):
            for folder in parent.iterdir():
                if (folder / FACTS_FILE).is_file() or (folder / CONFIG_FILE).is_file():
                    found[folder.name] = folder
        return found

    def _folder(self, competition_id: str) -> Path:
        try:
            return self._folders[competition_id]
        except KeyError:
            close = difflib.get_close_matches(str(competition_id), self._folders, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise UnknownCompetitionError(
                f"There is no competition {competition_id!r}.{hint} "
                "`mlebench competitions` lists all of them."
            ) from None


def _full_leaderboard(data: Path, folder: Path) -> Path | None:
    """A list of all teams' scores, if the user has one for this competition."""
    candidates = (data / LEADERBOARD_FILE, folder / LEADERBOARD_FILE)
    return next((path for path in candidates if path.is_file()), None)


registry = Registry()
