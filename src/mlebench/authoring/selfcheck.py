"""Trying a competition end to end on made-up data.

Raw data are made up and prepared: all files that the facts name must be there, and none
that participants see may give the answers away. The sample submission must be valid, the
gold submission must win gold, random valid submissions must get a score, and every broken
variant must get the verdict that the declaration promises, whatever the labels are.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.authoring.leaks import leaks
from mlebench.authoring.variants import Variant, variants
from mlebench.data.prepare import prepare
from mlebench.errors import InvalidSubmissionError, TaskNotWrittenError
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import Verdict, validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.mistakes import describe_mistake
from mlebench.registry.task import Task

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

    def add(self, name: str, problem: str = "") -> None:
        """Note a check; it has passed unless there is a problem."""
        self.checks.append(Check(name, not problem, problem))

    @property
    def passed(self) -> bool:
        """Whether every check did."""
        return all(check.passed for check in self.checks)


def check_competition(competition_id: str, registry: Registry) -> Outcome:
    """Run all checks on one competition in a temporary data folder."""
    outcome = Outcome(competition_id)
    with tempfile.TemporaryDirectory() as folder, _quiet_logs():
        competition = registry.set_data_dir(folder).get_competition(competition_id)
        task = competition.task
        if task is None:
            raise TaskNotWrittenError(f"{competition_id} is in the original's format: no fixture.")
        try:
            prepare(competition, fixture=True)
            outcome.add("prepare")
            if _check_files(competition, task, outcome):
                _check_good_submissions(competition, task, outcome)
                _check_variants(competition, task, outcome)
        except Exception as error:  # the author's functions may raise anything
            outcome.add(
                "grading" if outcome.checks else "prepare",
                describe_mistake(competition.folder, error),
            )
    return outcome


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Broken submissions are meant to be refused here; nobody needs a warning for each."""
    ours = logging.getLogger("mlebench")
    before = ours.level
    ours.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        ours.setLevel(before)


def _check_files(competition: Competition, task: Task, outcome: Outcome) -> bool:
    """Whether preparing wrote what the facts name, and nothing too much."""
    named = {
        "answers": competition.answers,
        "sample_submission": competition.sample_submission,
        "gold_submission": competition.gold_submission,
    }
    lacking = [
        f"{fact}: {path.relative_to(competition.data_dir)} is missing or empty"
        for fact, path in named.items()
        if not path.is_file() or not path.stat().st_size
    ]
    outcome.add("the files that the facts name are there", "; ".join(lacking))
    if lacking:
        return False
    found = leaks(
        competition.public_dir, competition.private_dir, competition.answers, task.submission
    )
    outcome.add("no public file gives the answers away", " ".join(found))
    return True


def _check_good_submissions(competition: Competition, task: Task, outcome: Outcome) -> None:
    sample = grade_csv(competition.sample_submission, competition)
    gold = grade_csv(competition.gold_submission, competition)
    outcome.sample_score, outcome.gold_score = sample.score, gold.score
    outcome.add("sample is valid", "" if sample.valid_submission else _why(sample))
    others = [sample]
    rng = np.random.default_rng(0)
    public = task.public(task.read_answers(competition.answers))
    for number in range(1, RANDOM_SUBMISSIONS + 1):
        path = competition.data_dir / "random.csv"
        task.validation.example(public, rng).to_csv(path, index=False)
        verdict, report = validate(path, competition), grade_csv(path, competition)
        good = verdict.is_valid and report.valid_submission
        outcome.add(
            f"random valid submission {number}",
            "" if good else _why(report) or verdict.result,
        )
        others.append(report)
    if competition.has_leaderboard:
        won = gold.gold_medal
        outcome.add("gold wins gold", "" if won else _why(gold) or f"score {gold.score}")
    else:
        beaten = [other for other in others if _beats(other, gold, competition)]
        detail = f"{gold.score} is beaten by {beaten[0].score}" if beaten else ""
        outcome.add("gold is not beaten", _why(gold) or detail)


def _beats(one: CompetitionReport, other: CompetitionReport, competition: Competition) -> bool:
    if one.score is None or other.score is None:
        return False
    if competition.facts.lower_is_better:
        return one.score < other.score
    return one.score > other.score


def _check_variants(competition: Competition, task: Task, outcome: Outcome) -> None:
    declared = task.validation
    gold = pd.read_csv(competition.gold_submission, dtype=str, keep_default_na=False)
    answers = task.read_answers(competition.answers)
    scrambled = scramble(answers, task)
    for variant in variants(gold[declared.names], declared):
        path = competition.data_dir / "variant.csv"
        path.write_bytes(variant.content)
        verdict, report = validate(path, competition), grade_csv(path, competition)
        outcome.add(variant.name, _disagreement(variant, verdict, report, task))
        other = _message(path, task, scrambled)
        if other != _message(path, task, answers):
            outcome.add(f"{variant.name}: labels do not matter", f"with other labels: {other}")


def _disagreement(variant: Variant, verdict: Verdict, report: CompetitionReport, task: Task) -> str:
    """What is wrong with the verdicts on a variant, if anything is."""
    if verdict.is_valid != variant.is_valid:
        return f"expected {'valid' if variant.is_valid else 'invalid'}: {verdict.result}"
    if verdict.is_valid and not report.valid_submission:
        return f"valid, but without a score: {_why(report)}"
    if report.valid_submission and not verdict.is_valid and task.validation is task.submission:
        return f"graded, but not valid: {verdict.result}"
    return ""


def scramble(answers: Any, task: Task) -> Any:
    """The same answers with other labels: everything that is not public in another order."""
    if isinstance(answers, pd.DataFrame):
        hidden = [name for name in answers.columns if name not in task.validation.public_names]
        return answers.assign(**{name: answers[name].to_numpy()[::-1] for name in hidden})
    public = set(task.validation.public_names)
    return [
        record | {name: value for name, value in other.items() if name not in public}
        for record, other in zip(answers, reversed(answers), strict=True)
    ]


def _message(path: Path, task: Task, answers: Any) -> str:
    """What validation says about a file, given these answers."""
    try:
        task.validate(task.read_submitted(path), answers)
    except InvalidSubmissionError as error:
        return str(error)
    return ""


def _why(report: CompetitionReport) -> str:
    return report.error["message"] if report.error else ""
