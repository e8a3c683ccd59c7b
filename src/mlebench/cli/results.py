"""What `grade` and `report-table` show: results by competition, then what was refused and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.cli.options import default_runs_dir
from mlebench.cli.output import echo, print_facts, print_table, print_text
from mlebench.cli.tables import Cell, Column
from mlebench.printable import printable

if TYPE_CHECKING:
    from mlebench.grading.report import CompetitionReport
    from mlebench.grading.results import Refusals, SavedReports

SHOWN_PATHS = 5
NO_COMPETITION = "(none named)"
NO_AGENT = "(none named)"
EVERY_REFUSAL = "mlebench report-table REPORT --csv"
MADE_UP = "On fixture data, which are made up: no real medals."
BY_REFERENCE = "Medals by a leaderboard of reference solutions, not of teams"

COLUMNS = (
    Column("competition"),
    Column("submissions", rank=3),
    Column("valid", rank=1),
    Column("gold"),
    Column("silver"),
    Column("bronze"),
    Column("best score", rank=2),
    Column("for gold", rank=4),
    Column("for silver", rank=5),
    Column("for bronze", rank=6),
    Column("median", rank=7),
)


def print_results(
    saved: Sequence[SavedReports], *, wide: bool = False, tells_agents: bool = False
) -> None:
    """Print what came out of many submissions, whose reports are saved in these files.

    Args:
        saved: The reports.
        wide: Leave no column out.
        tells_agents: Whether each agent has a row of its own, where there are several.
    """
    from mlebench.grading.results import by_agent, by_competition

    reports = [report for _, several in saved for report in several]
    if not reports:
        echo("There are no submissions.")
        return
    results = by_agent(reports) if tells_agents else by_competition(reports)
    has_agents = any(result.agent is not None for result in results)
    first, *others = COLUMNS
    print_table(
        (first, *([Column("agent")] if has_agents else []), *others),
        [
            [
                result.competition_id or NO_COMPETITION,
                *([result.agent or NO_AGENT] if has_agents else []),
                result.submissions,
                result.valid,
                result.gold,
                result.silver,
                result.bronze,
                result.best,
                *result.thresholds,
            ]
            for result in results
        ],
        wide=wide,
    )
    print_refusals(saved)
    print_whose_boards(one.competition_id for one in results if one.by_reference)
    if any(result.made_up for result in results):
        echo(f"\n{MADE_UP}")


def print_refusals(saved: Sequence[SavedReports]) -> None:
    """Print why submissions have no score, those together for which the reason is the same."""
    from mlebench.grading.results import refusals

    for refusal in refusals(report for _, reports in saved for report in reports):
        _print_refusal(refusal, saved)


def print_whose_boards(by_reference: Iterable[str]) -> None:
    """Name, below a table, the competitions whose medals are not won against teams, if any."""
    if names := [*dict.fromkeys(by_reference)]:
        echo()
        print_text(printable(f"{BY_REFERENCE}: {', '.join(names)}."))


def _print_refusal(refusal: Refusals, saved: Sequence[SavedReports]) -> None:
    from mlebench.grading.codes import command_to_explain
    from mlebench.registry.suggestions import command

    reports = refusal.reports
    told = command_to_explain(refusal.code)
    echo(f"\n{printable(refusal.code)}: {len(reports)}" + (f" ({told})" if told else ""))
    # By identity: two files may hold equal reports.
    files = {id(report): file for file, several in saved for report in several}
    for file, shown in groupby(reports[:SHOWN_PATHS], lambda report: files[id(report)]):
        if len(saved) > 1:
            echo(printable(f"  in {file}"))
        print_facts(
            [
                _told_of_run(report, group)
                if (group := _group_of(report))
                else (_place(report), (report.error or {}).get("message") or _missing(report))
                for report in shown
            ]
        )
    if len(reports) > SHOWN_PATHS:
        every = (
            command("report-table", saved[0].file, "--csv") if len(saved) == 1 else EVERY_REFUSAL
        )
        echo(printable(f"  and {len(reports) - SHOWN_PATHS} more ({every})"))


def _group_of(report: CompetitionReport) -> Path | None:
    """The folder of the run group that a report is of; None if it is of no run."""
    run_id, path = report.extra.get("run_id"), Path(report.submission_path)
    folder = path.parent.parent
    return folder.parent if run_id and folder.name == run_id and path.is_absolute() else None


def _told_of_run(report: CompetitionReport, group: Path) -> tuple[str, str]:
    """Which run it was, and what was wrong; paths of ours, which are long, tell neither."""
    from mlebench.registry.suggestions import command
    from mlebench.runs.finding import word_for

    error = report.error or {}
    message = str(error.get("message") or _missing(report))
    if error.get("code") == "no_submission":
        logs = command("runs", "logs", word_for(group, default_runs_dir()), report.extra["run_id"])
        message = f"nothing was submitted ({report.extra.get('cause')}: {logs})"
    return f"  {report.competition_id}, seed {report.extra.get('seed')}", message


def _place(report: CompetitionReport) -> str:
    line = f"line {report.line}" if report.line is not None else ""
    return "  " + ": ".join(filter(None, (line, _path(report))))


def _path(report: CompetitionReport) -> str:
    return "" if report.submission_path == str(None) else report.submission_path


def _missing(report: CompetitionReport) -> str:
    """What is said of a report of the original's, which does not tell what was wrong."""
    return "There is no csv of this name." if _path(report) else "Nothing was submitted."


def describe_source(data_source: str) -> str:
    """Where data come from, in plain words if they are made up."""
    return "fixture: made up, no real medals" if data_source == "fixture" else data_source


def whose_board(name: str, leaderboard_of: str | None) -> list[tuple[str, Cell]]:
    """Whose scores decide about medals, as a fact of this name, if they are not those of teams."""
    if leaderboard_of in (None, "teams"):
        return []
    return [(name, f"{leaderboard_of} run and recorded by mlebench, no teams")]
