"""A competition from the fourteen attributes that the original's have."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlebench.errors import ConfigError
from mlebench.registry.competition import Competition
from mlebench.registry.facts import Facts, load_facts
from mlebench.registry.grader import Grader
from mlebench.registry.loader import import_function
from mlebench.registry.original import read_direction
from mlebench.registry.task import Task

ATTRIBUTES = (
    "id",
    "name",
    "description",
    "grader",
    "answers",
    "gold_submission",
    "sample_submission",
    "competition_type",
    "prepare_fn",
    "raw_dir",
    "private_dir",
    "public_dir",
    "checksums",
    "leaderboard",
)


def competition_from_dict(data: Mapping[str, Any]) -> Competition:
    """Make the competition; what else the dict holds is ignored.

    Raises:
        ConfigError: An attribute is missing, or a function cannot be imported.
    """
    missing = [name for name in ATTRIBUTES if name not in data]
    if missing:
        raise ConfigError(f"A competition needs {', '.join(missing)} as well.")
    given_grader, prepare, board = data["grader"], data["prepare_fn"], data["leaderboard"]
    grader = given_grader if isinstance(given_grader, Grader) else Grader.from_dict(given_grader)
    # A grader of ours knows the competition it belongs to.
    owner = getattr(grader.grade_fn, "__self__", None)
    task = owner if isinstance(owner, Task) else None
    return Competition(
        id=data["id"],
        name=data["name"],
        description=data["description"],
        grader=grader,
        answers=Path(data["answers"]),
        gold_submission=Path(data["gold_submission"]),
        sample_submission=Path(data["sample_submission"]),
        competition_type=data["competition_type"],
        prepare_fn=import_function(prepare) if isinstance(prepare, str) else prepare,
        raw_dir=Path(data["raw_dir"]),
        private_dir=Path(data["private_dir"]),
        public_dir=Path(data["public_dir"]),
        checksums=Path(data["checksums"]),
        facts=load_facts(task.folder) if task else _facts(data, grader),
        folder=task.folder if task else Path(data["checksums"]).parent,
        task=task,
        leaderboard=Path(board) if board else None,  # type: ignore[arg-type]
    )


def _facts(data: Mapping[str, Any], grader: Grader) -> Facts:
    """What the attributes tell; medals and direction are in the leaderboard."""
    prepared = Path(data["public_dir"]).parent

    def below_prepared(name: str) -> str:
        path = Path(data[name])
        return (path.relative_to(prepared) if path.is_relative_to(prepared) else path).as_posix()

    board = data["leaderboard"]
    return Facts(
        id=data["id"],
        title=data["name"],
        metric=grader.name,
        grader_name=grader.name,
        lower_is_better=bool(board and read_direction(Path(board))),
        answers=below_prepared("answers"),
        sample_submission=below_prepared("sample_submission"),
        gold_submission=below_prepared("gold_submission"),
        competition_type="code" if data["competition_type"] == "code" else "simple",
    )
