"""Options that several commands share."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli.completing import agent_ids, competition_ids, editions
from mlebench.errors import ConfigError
from mlebench.quantities import read_size, read_time
from mlebench.settings import EDITION_VARIABLE, RUNS_DIR_VARIABLE

if TYPE_CHECKING:
    from mlebench.processes import MakeRunner
    from mlebench.registry import Registry

EXECUTORS = ("local", "ray")

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help="Folder of competition data [env: MLEBENCH_DATA_DIR, MLE_BENCH_DATA_DIR].",
    ),
]
CompetitionsDir = Annotated[
    list[Path] | None,
    typer.Option(
        "--competitions-dir",
        help="Folder of your own competitions; may be repeated [env: MLEBENCH_COMPETITIONS_DIR].",
    ),
]
AgentsDir = Annotated[
    list[Path] | None,
    typer.Option(
        "--agents-dir",
        help="Folder of your own agents, or one agent; may be repeated [env: MLEBENCH_AGENTS_DIR].",
    ),
]
EditionName = Annotated[
    str,
    typer.Option(
        "--edition",
        envvar=EDITION_VARIABLE,
        autocompletion=editions,
        help="v1 gives the original's numbers, v2 corrects known issues.",
    ),
]
RunsDir = Annotated[
    Path | None,
    typer.Option(
        "--runs-dir", envvar=RUNS_DIR_VARIABLE, help="Folder of run groups [default: runs]."
    ),
]
ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor", envvar="MLEBENCH_EXECUTOR", help="local, or ray for a cluster of machines."
    ),
]
Address = Annotated[
    str | None,
    typer.Option("--address", help="The Ray cluster [default: the one that Ray finds]."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Wide = Annotated[
    bool, typer.Option("--wide", help="Show all columns, however long the lines become.")
]
CompetitionId = Annotated[
    str,
    typer.Argument(metavar="COMPETITION_ID", help="Kaggle slug.", autocompletion=competition_ids),
]
AgentId = Annotated[
    str,
    typer.Argument(metavar="AGENT_ID", help="Such as dummy or aide/dev.", autocompletion=agent_ids),
]


def parse_size(text: str) -> int:
    """The bytes that a text such as ``500MB``, ``10 GB`` or ``8GiB`` stands for."""
    try:
        return read_size(text)
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def parse_seconds(text: str | float) -> float:
    """The seconds that a text stands for."""
    try:
        return float(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no number of seconds; write it as 600, or inf for no limit."
        ) from error


def parse_time(text: str | float) -> float:
    """The seconds that a text such as ``24h``, ``90m`` or ``600`` stands for."""
    try:
        return read_time(str(text))
    except ConfigError as error:
        raise typer.BadParameter(str(error)) from error


def is_cluster(executor: str) -> bool:
    """Whether work goes to other machines."""
    if executor not in EXECUTORS:
        raise typer.BadParameter(f"There is no executor {executor!r}; choose local or ray.")
    return executor == "ray"


def job_runner(executor: str, address: str | None) -> MakeRunner:
    """Who does jobs: processes here, or on the machines of a cluster."""
    from mlebench.processes import Runner

    if not is_cluster(executor):
        return Runner
    from mlebench.processes.cluster import ClusterRunner

    return partial(ClusterRunner, address=address)


def default_runs_dir() -> Path:
    """Where run groups go unless the user says otherwise."""
    return Path(os.environ.get(RUNS_DIR_VARIABLE) or "runs").absolute()


def refuse_swapped(submission: Path | str, competition_id: str) -> None:
    """Raise if somebody named the competition before the file."""
    if Path(competition_id).suffix and not Path(submission).suffix:
        raise typer.BadParameter(
            f"The file comes first, then the competition: {competition_id} {submission}"
        )


def make_registry(
    data_dir: Path | None = None,
    competitions_dir: list[Path] | None = None,
    edition: str = "v1",
) -> Registry:
    """The registry that these options describe."""
    from mlebench.registry import Registry

    return Registry(data_dir, competitions_dir or None, edition)  # type: ignore[arg-type]
