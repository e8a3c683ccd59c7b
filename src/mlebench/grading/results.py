"""What came out of many submissions: by competition, by reason of refusal, and as a table.

Works on saved grading reports, ours and the original's.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from mlebench.errors import ConfigError, shortened
from mlebench.grading.report import NOT_A_REPORT, CompetitionReport
from mlebench.registry.facts import REFERENCE

if TYPE_CHECKING:
    import pandas as pd

REPORT_ENDING = "_grading_report.json"
ADVICE = f"Give files that `mlebench grade` or `run` has written, *{REPORT_ENDING}."


@dataclass(frozen=True)
class CompetitionResult:
    """The submissions to one competition, or those of one agent.

    Attributes:
        agent: Whose they are, where several agents are told apart.
        best: The best score; None if there is none, or no telling which one is better.
        thresholds: Of gold, silver, bronze and the median, as far as they are known.
        made_up: Whether some were graded on fixture data.
        by_reference: Whether medals are won against reference solutions rather than teams.
    """

    competition_id: str
    submissions: int
    valid: int
    gold: int
    silver: int
    bronze: int
    best: float | None
    thresholds: tuple[float | None, float | None, float | None, float | None]
    made_up: bool
    by_reference: bool
    agent: str | None = None


@dataclass(frozen=True)
class Refusals:
    """Submissions without a score for the same reason."""

    code: str
    message: str
    reports: tuple[CompetitionReport, ...]


class SavedReports(NamedTuple):
    """A file and the reports it holds."""

    file: Path
    reports: Sequence[CompetitionReport]


def load_reports(paths: Iterable[Path | str]) -> list[CompetitionReport]:
    """The reports of saved files, in their order.

    Raises:
        ConfigError: A file is not there or is no grading report.
    """
    return [report for path in paths for report in _load(Path(path))]


def _load(path: Path) -> list[CompetitionReport]:
    if path.is_dir():
        raise ConfigError(f"{path} is a folder. {_advice_on(path)}")
    if not path.is_file():
        raise ConfigError(f"The report {path} does not exist. {ADVICE}")
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path} is no grading report: it is not JSON. {ADVICE}") from error
    try:
        # One report alone, as grade-sample prints it, will do as well.
        reports = content.get("competition_reports", [content])
        return [_typed(CompetitionReport.from_dict(report)) for report in reports]
    except (*NOT_A_REPORT, msgspec.ValidationError) as error:
        raise ConfigError(
            f"{path} is no grading report, though JSON{_why_none(error)}. {ADVICE}"
        ) from error


def _advice_on(folder: Path) -> str:
    """Which reports to give: those in a folder, else those in its folders, as of run groups."""
    for pattern in (f"*{REPORT_ENDING}", f"*/*{REPORT_ENDING}"):
        if any(folder.glob(pattern)):
            return f"Give the reports in it: {folder}/{pattern}"
    return f"There are no reports in it. {ADVICE}"


def _why_none(error: Exception) -> str:
    """What a report would have and this has not, where that can be told."""
    if isinstance(error, KeyError):
        return f": it has no field {error}"
    if isinstance(error, msgspec.ValidationError):
        return f": {shortened(str(error))}"
    return ""


def _typed(report: CompetitionReport) -> CompetitionReport:
    """A report, once every field is of its type."""
    msgspec.convert(report.to_dict(), CompetitionReport)
    return report


def by_competition(reports: Iterable[CompetitionReport]) -> list[CompetitionResult]:
    """One result for each competition, in the order of their names."""
    return _results((report.competition_id, None, report) for report in reports)


def by_agent(reports: Sequence[CompetitionReport]) -> list[CompetitionResult]:
    """The same; where there are several agents, one for each of them at each competition."""
    if len({_agent_of(report) for report in reports}) < 2:
        return by_competition(reports)
    return _results((report.competition_id, _agent_of(report), report) for report in reports)


def _agent_of(report: CompetitionReport) -> str:
    """Whose submission it is, as far as that is told."""
    agent = report.extra.get("agent")
    return "" if agent is None else str(agent)


def _results(
    told: Iterable[tuple[str, str | None, CompetitionReport]],
) -> list[CompetitionResult]:
    groups: dict[tuple[str, str | None], list[CompetitionReport]] = {}
    for competition_id, agent, report in told:
        groups.setdefault((competition_id, agent), []).append(report)
    ordered = sorted(groups, key=lambda key: (key[0], key[1] or ""))
    return [_result(name, agent, groups[name, agent]) for name, agent in ordered]


def _result(
    competition_id: str, agent: str | None, reports: Sequence[CompetitionReport]
) -> CompetitionResult:
    told = next((report for report in reports if report.gold_threshold is not None), reports[0])
    return CompetitionResult(
        competition_id,
        submissions=len(reports),
        valid=sum(report.valid_submission for report in reports),
        gold=sum(report.gold_medal for report in reports),
        silver=sum(report.silver_medal for report in reports),
        bronze=sum(report.bronze_medal for report in reports),
        best=_best(reports),
        thresholds=(
            told.gold_threshold,
            told.silver_threshold,
            told.bronze_threshold,
            told.median_threshold,
        ),
        made_up=any(report.data_source == "fixture" for report in reports),
        by_reference=any(report.leaderboard_of == REFERENCE for report in reports),
        agent=agent,
    )


def _best(reports: Sequence[CompetitionReport]) -> float | None:
    scores = [
        report.score
        for report in reports
        if report.score is not None and not math.isnan(report.score)
    ]
    directions = {report.is_lower_better for report in reports} - {None}
    if not scores or len(directions) > 1 or (not directions and len(set(scores)) > 1):
        return None
    return min(scores) if directions == {True} else max(scores)


def refusals(reports: Iterable[CompetitionReport]) -> list[Refusals]:
    """Submissions without a score, grouped by the code of what is wrong; most frequent first."""
    groups: dict[str, list[CompetitionReport]] = {}
    for report in reports:
        if not report.valid_submission:
            code = (report.error or {}).get("code") or report.status
            groups.setdefault(str(code), []).append(report)
    found = [
        Refusals(code, str((group[0].error or {}).get("message") or ""), tuple(group))
        for code, group in groups.items()
    ]
    return sorted(found, key=lambda refusal: (-len(refusal.reports), refusal.code))


def reports_frame(paths: Path | str | Iterable[Path | str]) -> pd.DataFrame:
    """Saved grading reports as a table with one row a submission.

    Further fields of the submissions file are columns of their own, behind those of the
    report; one that has the name of a column of the report gets ``extra_`` in front.
    """
    import pandas as pd

    rows = report_rows([paths] if isinstance(paths, Path | str) else paths)
    frame = pd.DataFrame(rows)
    for name in frame.columns:
        cells = [row.get(name) for row in rows]
        if None in cells and {type(cell) for cell in cells} == {int, NoneType}:
            with contextlib.suppress(OverflowError):  # then they stay what pandas made of them
                frame[name] = pd.array(cells, dtype="Int64")  # a gap makes floats of them
    return frame


def report_rows(paths: Iterable[Path | str]) -> list[dict[str, Any]]:
    """Saved grading reports as one row a submission, without anything nested."""
    return [_as_row(report, Path(path)) for path in paths for report in _load(Path(path))]


def _as_row(report: CompetitionReport, path: Path) -> dict[str, Any]:
    row = report.to_dict() | {"score": report.score}
    error, extra = row.pop("error") or {}, row.pop("extra")
    row["error_code"], row["error_message"] = error.get("code"), error.get("message")
    row["report_file"] = str(path)
    for name, value in extra.items():
        row[name if name not in row else f"extra_{name}"] = value
    return {_encodable(name): _flat(value) for name, value in row.items()}


def _flat(value: Any) -> Any:
    """A value that fits into a cell: JSON for what is nested."""
    if isinstance(value, dict | list):
        return json.dumps(value)
    return _encodable(value) if isinstance(value, str) else value


def _encodable(text: str) -> str:
    """A text that can be written: JSON may hold halves of characters."""
    return text.encode(errors="backslashreplace").decode()
