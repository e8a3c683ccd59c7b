"""Competitions with their data, graders and functions.

What building a competition needs is imported when one is built: listing all of them, which
every start of the command line may do, reads their facts only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import ConfigError
from mlebench.registry.catalog import Catalog
from mlebench.registry.descriptions import read_description
from mlebench.registry.facts import FACTS_FILE, Edition, Facts, load_facts, require_edition
from mlebench.settings import default_data_dir, resolved

if TYPE_CHECKING:
    from mlebench.registry.competition import Competition

    DEFAULT_DATA_DIR: Path

__all__ = ["DEFAULT_DATA_DIR", "Competition", "Registry", "registry"]


class Registry(Catalog):
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
        super().__init__(competitions_dirs)
        require_edition(edition)
        # Absolute, because programs hand our paths to processes that run elsewhere.
        self._data_dir = None if data_dir is None else resolved(data_dir)
        self.edition: Edition = edition

    def settings(self) -> dict[str, Any]:
        """The arguments that build the same registry in another process; they fit into JSON."""
        return {
            "data_dir": str(self.get_data_dir()),
            "competitions_dirs": [str(path) for path in self.user_dirs],
            "edition": self.edition,
        }

    def get_competition(self, competition_id: str) -> Competition:
        """The competition with this id; needs neither data nor a leaderboard.

        Raises:
            UnknownCompetitionError: There is none.
            ConfigError: Its folder is wrong, or it does not have this registry's edition.
        """
        from mlebench.registry.competition import PREPARED_DIRS, Competition, full_leaderboard
        from mlebench.registry.grader import Grader
        from mlebench.registry.original import load_original_competition
        from mlebench.registry.task import Task

        folder = self.folder_of(competition_id)
        if not (folder / FACTS_FILE).is_file():
            if self.edition != "v1":
                raise ConfigError(
                    f"{competition_id} is in the original's format, which has one edition, v1; "
                    f"there is no {self.edition} of it."
                )
            return load_original_competition(folder, self.get_data_dir())
        facts = load_facts(folder)
        task = Task(folder, self.edition)
        data = self.get_data_dir() / facts.id
        prepared = data / PREPARED_DIRS[self.edition]
        gold = facts.gold_submission or facts.answers
        return Competition(
            id=facts.id,
            name=facts.title,
            description=read_description(folder, self.edition),
            grader=Grader(name=facts.grader_name or facts.metric, grade_fn=task.grade),
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
            leaderboard=full_leaderboard(data, folder),  # type: ignore[arg-type]
        )

    def direction(self, facts: Facts) -> bool | None:
        """Whether lower is better; in the original's format, only a list of scores tells."""
        folder = self.folder_of(facts.id)
        if (folder / FACTS_FILE).is_file():
            return facts.lower_is_better
        from mlebench.registry.competition import full_leaderboard
        from mlebench.registry.original import read_direction

        board = full_leaderboard(self.get_data_dir() / facts.id, folder)
        return read_direction(board) if board else None

    def find_problem(self, competition_id: str) -> ConfigError | None:
        """What keeps a competition from being prepared and graded, if anything does.

        The functions of a user's own are loaded; built-in ones have been tried, and importing
        all of them takes long.
        """
        if self.is_built_in(competition_id) and self.is_written(competition_id):
            return None
        try:
            task = self.get_competition(competition_id).task
            if task:
                # What an author's module prints is not among our results.
                with redirect_stdout(sys.stderr):
                    task.require_complete()
        except ConfigError as error:
            return error
        return None

    def get_data_dir(self) -> Path:
        """Where competition data lie."""
        return default_data_dir() if self._data_dir is None else self._data_dir

    def set_data_dir(self, new_data_dir: Path | str) -> Registry:
        """The same registry on other data."""
        return Registry(new_data_dir, self._competitions_dirs, self.edition)

    def set_edition(self, edition: Edition) -> Registry:
        """The same registry in another edition."""
        return Registry(self._data_dir, self._competitions_dirs, edition)


registry = Registry()


def __getattr__(name: str) -> object:
    if name == "Competition":
        from mlebench.registry.competition import Competition

        return Competition
    if name == "DEFAULT_DATA_DIR":
        return default_data_dir()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
