"""Trying a competition end to end on made-up data.

Raw data are made up and prepared; the sample submission must be valid, the gold submission
must win gold, random valid submissions must get a score, and every broken variant must get
the verdict that the declaration promises.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError, TaskNotWrittenError
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.submission import Number, Submission

RANDOM_SUBMISSIONS = 3


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    name: str
    passed: bool
    detail: str = ""


@dataclass
class Outcome:
    """All that was tried on one competition."""

    competition_id: str
    checks: list[Check] = field(default_factory=list)
    sample_score: float | None = None
    gold_score: float | None = None

    @property
    def passed(self) -> bool:
        """Whether every check did."""
        return all(check.passed for check in self.checks)


def check_competition(competition_id: str, registry: Registry) -> Outcome:
    """Run all checks on one competition in a temporary data folder."""
    outcome = Outcome(competition_id)
    with tempfile.TemporaryDirectory() as folder, _quiet_logs():
        competition = registry.set_data_dir(folder).get_competition(competition_id)
        if competition.task is None:
            raise TaskNotWrittenError(f"{competition_id} is in the original's format: no fixture.")
        try:
            prepare(competition, fixture=True)
        except MlebenchError as error:
            outcome.checks.append(Check("prepare", False, str(error)))
            return outcome
        outcome.checks.append(Check("prepare", True))
        _check_good_submissions(competition, competition.task.submission, outcome)
        _check_broken_submissions(competition, competition.task.submission, outcome)
    return outcome


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Broken submissions are meant to be refused here; nobody needs a warning for each."""
    ours = logging.getLogger("mlebench")
    before = ours.level
    ours.setLevel(logging.ERROR)
    try:
        yield
    finally:
        ours.setLevel(before)


def _check_good_submissions(competition: Competition, schema: Submission, outcome: Outcome) -> None:
    sample = grade_csv(competition.sample_submission, competition)
    gold = grade_csv(competition.gold_submission, competition)
    outcome.sample_score, outcome.gold_score = sample.score, gold.score
    outcome.checks += [
        Check("sample is valid", _is_valid(sample, competition), _why(sample)),
        Check("gold wins gold", gold.gold_medal, _why(gold) or f"score {gold.score}"),
    ]
    rng = np.random.default_rng(0)
    keys = pd.read_csv(competition.sample_submission, dtype={schema.key: str})[schema.key]
    for number in range(1, RANDOM_SUBMISSIONS + 1):
        path = competition.data_dir / "random.csv"
        schema.example(keys, rng).to_csv(path, index=False)
        report = grade_csv(path, competition)
        outcome.checks.append(
            Check(f"random valid submission {number}", report.valid_submission, _why(report))
        )


def _is_valid(report: CompetitionReport, competition: Competition) -> bool:
    # Where the metric is not defined for constant predictions, v2 refuses the sample.
    undefined = report.error is not None and report.error["code"] == "undefined_score"
    return report.valid_submission or (undefined and competition.edition != "v1")


def _check_broken_submissions(
    competition: Competition, schema: Submission, outcome: Outcome
) -> None:
    sample = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    for variant in broken_variants(sample[schema.names], schema):
        path = competition.data_dir / "broken.csv"
        path.write_bytes(variant.content)
        verdict = validate(path, competition)
        report = grade_csv(path, competition)
        agrees = verdict.is_valid == variant.valid and report.valid_submission == verdict.is_valid
        expected = "valid" if variant.valid else "invalid"
        detail = "" if agrees else f"expected {expected}: {verdict.result} {_why(report)}"
        outcome.checks.append(Check(variant.name, agrees, detail))


def _why(report: CompetitionReport) -> str:
    return report.error["message"] if report.error else ""


@dataclass(frozen=True)
class Variant:
    """A changed submission and the verdict that the declaration promises."""

    name: str
    content: bytes
    valid: bool


def broken_variants(table: pd.DataFrame, schema: Submission) -> Iterator[Variant]:
    """Every usual way to get a submission wrong, and a few that are right."""
    by_key = schema.match == "key"
    last = table.index[-1]

    def variant(name: str, change: Callable[[pd.DataFrame], pd.DataFrame], valid: bool) -> Variant:
        return Variant(name, change(table.copy()).to_csv(index=False).encode(), valid)

    def with_cell(column: str, value: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
        def change(frame: pd.DataFrame) -> pd.DataFrame:
            frame.loc[last, column] = value
            return frame

        return change

    yield Variant("empty file", b"", valid=False)
    yield Variant("binary file", bytes(range(256)) * 8, valid=False)
    yield variant("header only", lambda frame: frame.iloc[:0], valid=False)
    yield variant("a row missing", lambda frame: frame.iloc[1:], valid=False)
    yield variant("a row twice", lambda frame: pd.concat([frame, frame.tail(1)]), valid=False)
    yield variant("rows reversed", lambda frame: frame.iloc[::-1], valid=True)
    yield variant("unknown id", with_cell(schema.key, "no-such-id"), valid=not by_key)
    yield variant("empty id", with_cell(schema.key, ""), valid=not by_key)
    if len(table) > 1:
        first_key = table[schema.key].iloc[0]
        yield variant("repeated id", with_cell(schema.key, first_key), valid=not by_key)
    yield variant(
        "extra column",
        lambda frame: frame.assign(remark="x"),
        valid=not schema.only_these_columns,
    )
    yield variant("no id column", lambda frame: frame.drop(columns=schema.key), valid=not by_key)
    for column in schema.columns:
        name = column.name
        yield variant(f"no {name} column", partial(pd.DataFrame.drop, columns=name), valid=False)
        if isinstance(column, Number):
            missing = column.may_be_missing
            yield variant(f"a word in {name}", with_cell(name, "a lot"), valid=False)
            yield variant(f"an empty {name}", with_cell(name, ""), valid=missing)
            yield variant(f"infinite {name}", with_cell(name, "inf"), valid=column.may_be_infinite)
            if column.high is not None:
                too_much = str(column.high + 1)
                yield variant(f"{name} out of range", with_cell(name, too_much), valid=False)
