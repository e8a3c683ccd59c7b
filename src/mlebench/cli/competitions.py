"""``mlebench competitions``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from mlebench.cli import completing
from mlebench.cli.options import CompetitionsDir, DataDir, EditionName, Json, Wide, make_registry
from mlebench.cli.output import (
    echo,
    print_facts,
    print_json,
    print_message,
    print_table,
    print_text,
)
from mlebench.cli.results import whose_board
from mlebench.cli.tables import Cell, Column
from mlebench.errors import ConfigError, TaskNotWrittenError, UnknownCompetitionError
from mlebench.quantities import size_in_words

if TYPE_CHECKING:
    from mlebench.registry import Registry
    from mlebench.registry.competition import Competition
    from mlebench.registry.facts import Facts, KnownIssue

READY = "ok"
UNKNOWN = "without a leaderboard, it is not known whether lower or higher is better"
COLUMNS = (
    Column("competition"),
    Column("split", rank=1),
    Column("ready", rank=2),
    Column("size", rank=3, is_right=True),
    Column("better", rank=5),
    Column("metric", rank=4, wraps=True),
    Column("category", rank=6, wraps=True),
)


def competitions(
    competition_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[COMPETITION_ID]",
            help="Show this one in full.",
            autocompletion=completing.competition_ids,
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            "--split",
            help="Only a split: low, medium, high, dev, mini, ...",
            autocompletion=completing.splits,
        ),
    ] = None,
    category: Annotated[
        str | None, typer.Option("--category", help="Only categories with this text.")
    ] = None,
    search: Annotated[
        str | None, typer.Option("--search", help="Only ids, titles and metrics with this text.")
    ] = None,
    ready: Annotated[
        bool, typer.Option("--ready", help="Only those that can be prepared and graded.")
    ] = False,
    wide: Wide = False,
    as_json: Json = False,
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """List competitions, or show one."""
    registry = make_registry(data_dir, competitions_dir, edition)
    if competition_id:
        if split or category or search or ready:
            raise typer.BadParameter("Give one competition or filters such as --split, not both.")
        _show(registry, competition_id, as_json)
        return
    found = [
        facts
        for facts in _readable_facts(registry, _ids(registry, split))
        if (not category or category.lower() in facts.category.lower())
        and (not search or search.lower() in f"{facts.id} {facts.title} {facts.metric}".lower())
    ]
    states = {facts.id: _state(registry.find_problem(facts.id)) for facts in found}
    chosen = [facts for facts in found if not ready or states[facts.id] == READY]
    if as_json:
        print_json(
            [_summary(facts, registry) | {"ready": states[facts.id] == READY} for facts in chosen]
        )
        return
    if not chosen:
        echo("No competition is like that; without filters, all are listed.")
        return
    print_table(
        COLUMNS,
        [
            [
                facts.id,
                facts.complexity,
                states[facts.id],
                _size(facts),
                _better(facts, registry),
                facts.metric,
                facts.category,
            ]
            for facts in chosen
        ],
        wide=wide,
    )


def _ids(registry: Registry, split: str | None) -> list[str]:
    if not split:
        return registry.list_competition_ids()
    ids = registry.get_split(split)
    registry.require_known(ids)
    return ids


def _readable_facts(registry: Registry, ids: Iterable[str]) -> Iterator[Facts]:
    """The facts of these competitions; a broken folder is named and left out."""
    for competition_id in ids:
        try:
            yield registry.get_facts(competition_id)
        except UnknownCompetitionError:
            raise
        except (ConfigError, OSError) as error:
            print_message(f"warning: {competition_id} is left out: {error}")


def _better(facts: Facts, registry: Registry) -> str | None:
    """Which scores are better, if that is known."""
    words = {True: "lower", False: "higher", None: None}
    return words[registry.direction(facts)]


def _size(facts: Facts) -> str | None:
    """How large the data are, if that is known."""
    return None if facts.size_gb is None else size_in_words(facts.size_gb * 1e9)


def _summary(facts: Facts, registry: Registry) -> dict[str, object]:
    import msgspec

    summary: dict[str, object] = msgspec.to_builtins(facts)
    summary["lower_is_better"] = registry.direction(facts)
    if facts.best_score is not None and math.isinf(facts.best_score):
        summary["best_score"] = str(facts.best_score)  # null would mean that it is not known
    if facts.leaderboard:
        board = dict(msgspec.to_builtins(facts.leaderboard))
        board["percentiles"] = [float(text) for text in facts.leaderboard.percentiles.split()]
        summary["leaderboard"] = board
    return summary


def _state(problem: ConfigError | None) -> str:
    """Whether a competition can be prepared and graded, in a word or two."""
    if problem is None:
        return READY
    return "not yet" if isinstance(problem, TaskNotWrittenError) else "no"


def _show(registry: Registry, competition_id: str, as_json: bool) -> None:
    from mlebench.data.manifest import data_source, find_gap

    competition = registry.get_competition(competition_id)
    facts = competition.facts
    prepared = None if find_gap(competition) else data_source(competition)
    problem = registry.find_problem(competition_id)
    better = _better(facts, registry)
    board = competition.load_leaderboard() if competition.has_leaderboard else None
    if as_json:
        paths = {
            "prepared": prepared,
            "public_dir": str(competition.public_dir),
            "answers": str(competition.answers),
            "sample_submission": str(competition.sample_submission),
            "description": competition.description,
        }
        # What grading uses, which need not be what was published.
        full = board.figures() if board and competition.has_full_leaderboard else None
        summary = _summary(facts, registry) | ({"leaderboard": full} if full else {})
        print_json(summary | {"ready": problem is None} | paths)
        return
    facts_shown: list[tuple[str, Cell]] = [
        ("title", facts.title),
        *_origin(facts, registry),
        ("split", facts.complexity),
        ("category", facts.category),
        ("size", _size(facts)),
        ("metric", f"{facts.metric} ({f'{better} is better' if better else UNKNOWN})"),
        ("best possible score", facts.best_score),
    ]
    if board:
        limits = board.thresholds
        facts_shown += [
            *whose_board("medals by", facts.leaderboard_of),
            _number_ranked(len(board.scores), facts),
            (
                "gold, silver, bronze",
                f"{limits.gold:.12g}, {limits.silver:.12g}, {limits.bronze:.12g}",
            ),
            ("median", limits.median),
        ]
        if competition.has_full_leaderboard:
            facts_shown.append(("leaderboard", str(competition.leaderboard)))
    facts_shown += [
        ("ready", _state(problem)),
        ("prepared", f"{prepared} data in {competition.public_dir.parent}" if prepared else "no"),
        *(("known issue", _describe(issue)) for issue in facts.known_issues),
        ("next", _next_step(competition, problem, prepared is not None)),
    ]
    print_facts(facts_shown)
    if problem and not isinstance(problem, TaskNotWrittenError):
        raise problem
    if competition.task and not problem:
        echo("\nSubmission\n")
        print_text(competition.task.validation.document())


def _origin(facts: Facts, registry: Registry) -> list[tuple[str, Cell]]:
    """Where the competition or its data are from."""
    if facts.bundled:
        return [("origin", facts.bundled.origin), ("licence", facts.bundled.licence)]
    is_built_in = registry.is_built_in(facts.id)
    return [("address", f"https://www.kaggle.com/competitions/{facts.id}" if is_built_in else None)]


def _number_ranked(number: int, facts: Facts) -> tuple[str, Cell]:
    """How many teams decide about medals, and how many took part if these are others."""
    if facts.leaderboard_of != "teams":
        return facts.leaderboard_of, number
    published = facts.leaderboard.teams if facts.leaderboard else number
    return "teams", number if number == published else f"{number} (published: {published})"


def _next_step(competition: Competition, problem: ConfigError | None, is_prepared: bool) -> str:
    from mlebench.data.remedies import prepare_command
    from mlebench.registry.suggestions import command, command_for

    if isinstance(problem, TaskNotWrittenError):
        return f"{command('competitions', '--ready')} lists those that can be prepared"
    if problem:
        return command_for(competition, "selfcheck", competition.id)
    if not is_prepared:
        return prepare_command(competition)
    return command_for(competition, "grade-sample", "submission.csv", competition.id)


def _describe(issue: KnownIssue) -> str:
    fixed = f", fixed in {issue.fixed_in}" if issue.fixed_in else ""
    return f"{issue.text} [{issue.severity}{fixed}]"
