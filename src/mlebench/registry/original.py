"""Competition folders in the original's format, loaded unchanged.

Such a folder holds ``config.yaml`` with dotted import strings, ``prepare.py``, ``grade.py``,
``description.md`` and usually ``leaderboard.csv`` and ``checksums.yaml``.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from mlebench.errors import ConfigError
from mlebench.registry.competition import LEADERBOARD_FILE, Competition, full_leaderboard
from mlebench.registry.facts import ORIGINAL_FILE, Facts, load_typed
from mlebench.registry.grader import Grader
from mlebench.registry.loader import import_from_folder
from mlebench.registry.mistakes import told_apart
from mlebench.registry.scores_file import require_short, score_column
from mlebench.registry.signatures import check_prepare
from mlebench.registry.yaml_files import read_text

_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Dataset(msgspec.Struct):
    answers: _Text
    sample_submission: _Text
    gold_submission: _Text | None = None


class _Grader(msgspec.Struct):
    name: _Text
    grade_fn: _Text


class _Config(msgspec.Struct):
    id: _Text
    name: _Text
    competition_type: _Text
    dataset: _Dataset
    grader: _Grader
    preparer: _Text
    description: _Text = "description.md"
    awards_medals: bool | None = None


def load_original_competition(folder: Path, data_dir: Path) -> Competition:
    """A competition from a folder in the original's format."""
    config = load_typed(folder / ORIGINAL_FILE, _Config)
    data = data_dir / config.id
    return Competition(
        id=config.id,
        name=config.name,
        description=_read_description(folder, config.description),
        grader=Grader(config.grader.name, _Grade(folder, config.grader.grade_fn)),
        answers=data_dir / config.dataset.answers,
        gold_submission=data_dir / (config.dataset.gold_submission or config.dataset.answers),
        sample_submission=data_dir / config.dataset.sample_submission,
        competition_type=config.competition_type,
        prepare_fn=_Prepare(folder, config.preparer),
        raw_dir=data / "raw",
        private_dir=data / "prepared" / "private",
        public_dir=data / "prepared" / "public",
        checksums=folder / "checksums.yaml",
        facts=load_original_facts(folder),
        folder=folder,
        leaderboard=full_leaderboard(data, folder),  # type: ignore[arg-type]
    )


def load_original_facts(folder: Path) -> Facts:
    """The facts an original config states; direction and medals are in its leaderboard."""
    config = load_typed(folder / ORIGINAL_FILE, _Config)
    gold = config.dataset.gold_submission
    return Facts(
        id=config.id,
        title=config.name,
        metric=config.grader.name,
        lower_is_better=bool(read_direction(folder / LEADERBOARD_FILE)),
        answers=_below_prepared(config.dataset.answers),
        sample_submission=_below_prepared(config.dataset.sample_submission),
        gold_submission=_below_prepared(gold) if gold else None,
        competition_type="code" if config.competition_type == "code" else "simple",
        awards_medals=bool(config.awards_medals),
    )


def _read_description(folder: Path, stated: str) -> str:
    """The text behind a path that was relative to the original's repository."""
    path = folder / Path(stated).name
    if not path.is_file():
        raise ConfigError(f"{folder / ORIGINAL_FILE}: the description {path} does not exist.")
    return read_text(path)


def _below_prepared(path: str) -> str:
    return path.partition("/prepared/")[2] or path


def read_direction(leaderboard: Path) -> bool | None:
    """Lower is better if the first score is below the last; None if no list tells.

    Read by hand, because looking at a competition must not import pandas.
    """
    if not leaderboard.is_file():
        return None
    require_short(leaderboard)
    try:
        with leaderboard.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            column = score_column(rows.fieldnames or ())
            scores = [row[column] for row in rows if row[column]] if column else []
        return float(scores[0]) < float(scores[-1]) if scores else None
    except (ValueError, csv.Error):
        return None  # whoever needs the scores reports what is wrong with them


@dataclass(frozen=True)
class _Function:
    """A function of a folder, imported when it is called; can be sent to another process."""

    folder: Path
    import_string: str

    def load(self) -> Callable[..., Any]:
        return import_from_folder(self.folder, self.import_string)


class _Grade(_Function):
    def __call__(self, submission: Any, answers: Any) -> float:
        score: float = self.load()(submission, answers)
        return score


class _Prepare(_Function):
    def __call__(self, raw: Path, public: Path, private: Path) -> None:
        function = self.load()
        check_prepare(function, f"{self.folder / ORIGINAL_FILE}: {self.import_string}")
        with told_apart(self.folder, "prepare"):
            function(raw=raw, public=public, private=private)
