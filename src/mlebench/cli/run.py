"""``mlebench run``."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlebench.cli import INTERRUPTED
from mlebench.cli.logs import print_log_line
from mlebench.cli.options import (
    Address,
    AgentsDir,
    CompetitionsDir,
    DataDir,
    EditionName,
    ExecutorName,
    Json,
    RunsDir,
    Wide,
    default_runs_dir,
    is_cluster,
    make_registry,
    parse_size,
    parse_time,
)
from mlebench.cli.output import echo, print_json, print_text, progress_bar
from mlebench.cli.results import print_results
from mlebench.cli.run_lines import RunLines
from mlebench.errors import ConfigError
from mlebench.printable import printable, printable_lines
from mlebench.settings import resolved

if TYPE_CHECKING:
    from mlebench.registry import Registry
    from mlebench.runs.campaign import Campaign
    from mlebench.runs.executors import Executor
    from mlebench.runs.group import RunGroup
    from mlebench.runs.state import RunState

logger = logging.getLogger(__name__)


def run(
    agent: Annotated[
        str, typer.Option("--agent", "--agent-id", help="The agent, such as dummy or aide/dev.")
    ],
    competitions: Annotated[
        list[str],
        typer.Option(
            "--competitions",
            "--competition-set",
            "-c",
            help="A split, a text file of ids, or an id; may be repeated.",
        ),
    ],
    seeds: Annotated[
        int, typer.Option("--seeds", "--n-seeds", help="Attempts at each competition.")
    ] = 1,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", "--n-workers", envvar="MLEBENCH_RUN_WORKERS", help="Runs at a time."
        ),
    ] = 1,
    sandbox: Annotated[
        str | None,
        typer.Option(
            "--sandbox",
            envvar="MLEBENCH_SANDBOX",
            help="bwrap, container, or process (no walls) [default: bwrap].",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            parser=parse_time,
            metavar="<time>",
            help="For each run, such as 24h or 90m [default: the agent's, else none].",
        ),
    ] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            "--memory-limit", parser=parse_size, metavar="<size>", help="For each run's room."
        ),
    ] = None,
    disk_limit: Annotated[
        int | None,
        typer.Option(
            "--disk-limit",
            parser=parse_size,
            metavar="<size>",
            help="For what a run writes [default: 100GB].",
        ),
    ] = None,
    cpus: Annotated[float | None, typer.Option("--cpus", help="Processors for each run.")] = None,
    gpus: Annotated[int | None, typer.Option("--gpus", help="Graphics cards for each run.")] = None,
    gpu_ids: Annotated[
        str, typer.Option("--gpu-ids", help="The cards to share out, such as 0,1.")
    ] = "",
    container_config: Annotated[
        Path | None,
        typer.Option("--container-config", help="JSON of further arguments for containers."),
    ] = None,
    retain: Annotated[
        bool, typer.Option("--retain", help="Stop containers, but do not remove them.")
    ] = False,
    obfuscated: Annotated[
        bool, typer.Option("--obfuscated", help="Give instructions that do not name Kaggle.")
    ] = False,
    no_grade: Annotated[bool, typer.Option("--no-grade", help="Leave grading for later.")] = False,
    new: Annotated[
        bool, typer.Option("--new", help="Begin a new group even if one is unfinished.")
    ] = False,
    model: Annotated[
        str | None, typer.Option("--model", help="The language model, for the record.")
    ] = None,
    budget: Annotated[
        float | None, typer.Option("--budget", help="Dollars it may spend, for the record.")
    ] = None,
    executor: ExecutorName = "local",
    address: Address = None,
    home: Annotated[
        str | None,
        typer.Option("--home", help="The address at which nodes of a cluster reach this machine."),
    ] = None,
    shared_data: Annotated[
        bool,
        typer.Option("--shared-data", help="Nodes have the data folder at the same place."),
    ] = False,
    runs_dir: RunsDir = None,
    run_dir: Annotated[
        Path | None, typer.Option("--run-dir", help="Accepted for old commands; of no effect.")
    ] = None,
    agents_dir: AgentsDir = None,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Take an agent through competitions and grade what it leaves; an interrupted run resumes.

    The exit code is 0 if no run was lost, no agent failed and at least one submission has a score.
    """
    from mlebench.runs.campaign import Campaign, Wish
    from mlebench.runs.checking import tell_of_crowding
    from mlebench.runs.outcomes import exit_code_of_runs
    from mlebench.sandbox.process import WITHOUT_WALLS, ProcessSandbox

    registry = make_registry(data_dir, competitions_dir, edition)
    limits = {
        "seconds": time_limit,
        "memory": memory_limit,
        "disk": disk_limit,
        "cpus": cpus,
        "gpus": gpus,
    }
    wish = Wish(
        agent_id=agent,
        competitions=_chosen(registry, competitions),
        seeds=seeds,
        runs_dir=resolved(runs_dir or default_runs_dir()),
        agents_dirs=agents_dir or (),
        sandbox=sandbox,
        limits={name: limit for name, limit in limits.items() if limit is not None},
        workers=workers,
        gpus=_numbers(gpu_ids),
        is_obfuscated=obfuscated,
        is_graded=not no_grade,
        begins_anew=new,
        container=_container_options(container_config),
        is_retained=retain,
        model=model,
        budget_usd=budget,
        is_elsewhere=is_cluster(executor),
    )
    if workers < 1:
        raise ConfigError(f"There must be at least one worker, not {workers}.")
    campaign = Campaign(wish, registry)
    if campaign.sandbox.kind == ProcessSandbox.kind:
        logger.warning("%s", WITHOUT_WALLS)
    if not wish.is_elsewhere:
        tell_of_crowding(min(workers, len(wish.competitions) * seeds))
    group = campaign.open_group()
    cluster = _cluster(address, workers, home, shared_data) if wish.is_elsewhere else None
    _run(campaign, group, cluster)
    _show(group, wide=wide, as_json=as_json)
    states = group.state.runs()
    if any(state.status in ("waiting", "running") for state in states):
        raise typer.Exit(INTERRUPTED)  # somebody stopped the group
    if code := exit_code_of_runs(states, is_graded=wish.is_graded):
        raise typer.Exit(code)


def _cluster(address: str | None, workers: int, home: str | None, shared: bool) -> Executor:
    from mlebench.runs.cluster.ray_executor import RayExecutor

    return RayExecutor(address, workers, home_host=home, sees_data=shared)


def _run(campaign: Campaign, group: RunGroup, executor: Executor | None) -> None:
    runs = group.state.runs()
    done = {run.run_id for run in runs if run.is_final}
    with progress_bar() as progress:
        lines = RunLines(group)
        bar = progress.add_task("Running", total=len(runs), completed=len(done))

        def follow(state: RunState) -> None:
            lines.follow(state)
            if state.is_final or (state.status == "ended" and not campaign.wish.is_graded):
                done.add(state.run_id)
            progress.update(
                bar, completed=len(done), description=printable(f"{state.competition_id}")
            )

        campaign.run(group, follow, executor, on_log=print_log_line)


def _show(group: RunGroup, *, wide: bool, as_json: bool) -> None:
    from mlebench.grading.report import CompetitionReport
    from mlebench.grading.results import SavedReports
    from mlebench.runs.outcomes import sentences_on_ends
    from mlebench.runs.standing import what_is_left
    from mlebench.runs.summary import summary_of

    if as_json:
        print_json(summary_of(group))
        return
    reports = [CompetitionReport.from_dict(run.report) for run in group.state.runs() if run.report]
    if reports:
        print_results([SavedReports(group.report_path, reports)], wide=wide)
    causes = summary_of(group)["causes"]
    echo("\n" + ", ".join(f"{count} {cause}{_explained(cause)}" for cause, count in causes.items()))
    for sentence in sentences_on_ends(group.state.runs()):
        print_text(printable_lines(sentence))
    echo(printable_lines(f"The run group is {group.folder}"))
    if not group.is_finished:
        print_text(f"Not all is done; {what_is_left(group)}")


def _explained(cause: str) -> str:
    """What tells more about a cause, unless it is that all went well."""
    from mlebench.grading.codes import command_to_explain

    told = None if cause == "finished" else command_to_explain(cause)
    return f" ({told})" if told else ""


def _chosen(registry: Registry, wanted: list[str]) -> tuple[str, ...]:
    """The ids that splits, files and single ids stand for, none of them twice."""
    ids: dict[str, None] = {}
    for word in wanted:
        for name in word.split(","):
            is_list = name in registry.list_splits() or Path(name).exists()
            ids |= dict.fromkeys(registry.get_split(name) if is_list else [name])
    registry.require_known(ids, may_be_splits=True)
    return tuple(ids)


def _container_options(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        options = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
    except (OSError, ValueError) as error:
        raise ConfigError(f"The container config {path} cannot be read: {error}.") from error
    if not isinstance(options, dict):
        raise ConfigError(f"The container config {path} must be a JSON object.")
    return options


def _refuse(constant: str) -> float:
    """No number of JSON, though Python would read it, and write it again."""
    raise ValueError(f"{constant} is no number")


def _numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no list of numbers; write it as 0,1.") from error
    if len({*numbers}) < len(numbers) or any(number < 0 for number in numbers):
        raise typer.BadParameter(
            f"{text!r} does not name cards: each has a number from 0 on, and is named once."
        )
    return numbers
