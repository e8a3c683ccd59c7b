"""Trying a competition end to end on made-up data.

Raw data are made up and prepared: all files that the facts name must be there, none that
participants see may give the answers away, and the raw data must stay as they were. The
sample submission must be valid, nothing may beat the gold submission, which must win gold,
random valid submissions must get a score, and every broken variant must get the verdict
that the declaration promises, whatever the labels are. What is wrong in one place does not
keep the others from being looked at.
"""

from __future__ import annotations

import logging
import math
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd

from mlebench.authoring.leaks import leaks
from mlebench.authoring.outcomes import Check, Outcome
from mlebench.authoring.raw_changes import describe_changes, digests
from mlebench.authoring.variants import Variant, variants
from mlebench.data.named_files import is_filled, wrong_paths
from mlebench.data.prepare import prepare
from mlebench.data.readiness import without_advice
from mlebench.errors import GraderError, InvalidSubmissionError
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import grade_csv
from mlebench.grading.validation import Verdict, validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.facts import FACTS_FILE, TASK_FILE, stated_direction
from mlebench.registry.mistakes import describe_mistake
from mlebench.registry.task import Task
from mlebench.submission import Expected, Label, Permutation, Submission, TextLabel

__all__ = ["Check", "Outcome", "check_competition", "scramble"]

RANDOM_SUBMISSIONS = 3
SHOWN_LABELS = 5


def check_competition(competition_id: str, registry: Registry) -> Outcome:
    """Run all checks on one competition in a temporary data folder."""
    outcome = Outcome(competition_id)
    # What an author's functions print is not among our results.
    with (
        tempfile.TemporaryDirectory() as folder,
        _quiet_logs(),
        redirect_stdout(sys.stderr),
        without_advice(),
    ):
        competition = registry.set_data_dir(folder).get_competition(competition_id)
        task = competition.task
        if task is None:
            outcome.note = "in the original's format, which has no made-up data to try it on"
            return outcome
        task.require_written()
        _check_description(competition, outcome)
        competition = _check_leaderboard(competition, outcome)
        attempt = partial(outcome.attempt, folder=competition.folder)
        is_complete = attempt("the task is complete", function=task.require_complete)
        raw = Path(folder) / "raw"
        attempt("prepare", function=partial(_check_prepared, competition, task, raw, outcome))
        if is_complete and is_filled(competition.answers):
            for name, check in CHECKS_OF_GRADING.items():
                attempt(name, function=partial(check, competition, task, outcome))
    return outcome.without(f"{folder}/").without(f"{competition.folder.parent}/")


def _check_description(competition: Competition, outcome: Outcome) -> None:
    is_there = bool(competition.description.strip())
    outcome.add(
        "there is a description",
        "" if is_there else f"{competition.folder / 'description.md'} is missing or empty",
    )


def _check_leaderboard(competition: Competition, outcome: Outcome) -> Competition:
    """The competition; without its leaderboard if that is none, so that checks can go on."""
    if competition.has_leaderboard and not outcome.attempt(
        "leaderboard", competition.folder, competition.load_leaderboard
    ):
        facts = msgspec.structs.replace(competition.facts, leaderboard=None)
        return replace(competition, facts=facts, leaderboard=competition.data_dir / "none.csv")
    return competition


def _check_prepared(competition: Competition, task: Task, raw: Path, outcome: Outcome) -> None:
    """Make data up, prepare them, and look at all that came of it."""
    task.fixture(raw)
    before = digests(raw)
    prepare(competition, raw, skip_verification=True, must_be_complete=False)
    outcome.add("prepare")
    outcome.add("raw data stay as they are", describe_changes(before, digests(raw)))
    lacking = " ".join(wrong_paths(competition.facts, competition.prepared_dir))
    outcome.add("the files that the facts name are there", lacking)


def _check_key(competition: Competition, task: Task, outcome: Outcome) -> None:
    """Answers that share a key are told apart by their order, which the matching must say."""
    submission = task.submission
    keys = task.public(task.read_answers(competition.answers))[submission.keys]
    repeated = keys[keys.duplicated()]
    said = ""
    matching = submission.matching
    pools = matching.tolerates.other_repetitions
    if len(repeated) and not (matching.order_counts or pools):
        shown = ", ".join(map(str, repeated.iloc[0]))
        said = (
            f"{len(repeated)} answers repeat the {' and '.join(submission.keys)} of another, such "
            f"as {shown}: name a further column of the key in {TASK_FILE}, or a matching for "
            "which the order of the rows counts"
        )
    outcome.add("the key tells answers apart", said)


def _check_leaks(competition: Competition, task: Task, outcome: Outcome) -> None:
    found = leaks(
        competition.public_dir, competition.private_dir, competition.answers, task.submission
    )
    outcome.add("no public file gives the answers away", " ".join(found))


@contextmanager
def _quiet_logs() -> Iterator[None]:
    """Broken submissions are meant to be refused here; only who wants every detail is told."""
    ours = logging.getLogger("mlebench")
    before = ours.level
    if not ours.isEnabledFor(logging.DEBUG):
        ours.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        ours.setLevel(before)


def _check_good_submissions(competition: Competition, task: Task, outcome: Outcome) -> None:
    others = []
    if is_filled(competition.sample_submission):
        sample = grade_csv(competition.sample_submission, competition)
        outcome.sample_score = sample.score
        outcome.add("sample is valid", _why(sample, competition, task))
        others.append(sample)
    rng = np.random.default_rng(0)
    public = task.public(task.read_answers(competition.answers))
    for number in range(1, RANDOM_SUBMISSIONS + 1):
        path = competition.data_dir / "random.csv"
        task.validation.example(public, rng).to_csv(path, index=False)
        verdict, report = validate(path, competition), grade_csv(path, competition)
        problem = _why(report, competition, task) or ("" if verdict.is_valid else verdict.result)
        others.append(report)
        if not outcome.add(f"random valid submission {number}", problem):
            break  # the others would say the same
    if report.score is not None:
        again = grade_csv(path, competition).score
        differs = again != report.score and not math.isnan(report.score)
        said = f"the same submission scores {report.score} and then {again}; seed what is random"
        outcome.add("scores can be repeated", said if differs else "")
    if is_filled(competition.gold_submission):
        _check_gold(competition, task, others, outcome)


def _check_gold(
    competition: Competition, task: Task, others: list[CompetitionReport], outcome: Outcome
) -> None:
    gold = grade_csv(competition.gold_submission, competition)
    outcome.gold_score = gold.score
    problem = _why(gold, competition, task)
    if gold.status == "invalid_submission" and competition.facts.gold_submission is None:
        problem += (
            f" The answers are no valid submission: name one (gold_submission, {FACTS_FILE})."
        )
    if competition.has_leaderboard:
        lost = (
            f"it scores {gold.score}, gold begins at {gold.gold_threshold}: the submission is not "
            "perfect, or score compares values of different types"
        )
        outcome.add("gold wins gold", "" if gold.gold_medal else problem or lost)
    _check_best_score(gold.score, competition, outcome)
    if not (problem and competition.has_leaderboard):
        outcome.add("gold is not beaten", problem or _beaten(gold.score, others, competition))


def _check_best_score(gold: float | None, competition: Competition, outcome: Outcome) -> None:
    best, lower_is_better = competition.facts.best_score, competition.facts.lower_is_better
    if best is None or gold is None or math.isnan(gold):
        return
    is_better = gold < best if lower_is_better else gold > best
    said = f"the gold submission scores {gold:g}, better than best_score: {best:g} in {FACTS_FILE}"
    outcome.add("nothing beats best_score", said if is_better else "")


def _check_labels(competition: Competition, task: Task, outcome: Outcome) -> None:
    """The answers hold no other labels than participants may choose from."""
    truth = task.truth(task.read_answers(competition.answers))
    for column in task.submission.columns:
        if isinstance(column, Label | TextLabel) and column.choices and column.name in truth:
            others = set(truth[column.name].dropna()) - set(column.choices)
            shown = ", ".join(sorted(map(str, others))[:SHOWN_LABELS])
            said = f"they also hold {shown}: name all in choices=(...) in {TASK_FILE}"
            outcome.add(f"the answers hold choices of {column.name} only", said if others else "")


def _beaten(gold: float | None, others: list[CompetitionReport], competition: Competition) -> str:
    """Who does better than the gold submission, and what may be wrong then."""
    if gold is None or math.isnan(gold):
        return f"the gold submission's score is {gold}"
    lower_is_better = competition.facts.lower_is_better
    scores = [other.score for other in others if other.score is not None]
    better = [score for score in scores if (score < gold if lower_is_better else score > gold)]
    if not better:
        return ""
    stated = stated_direction(lower_is_better)
    said = f"the gold submission scores {gold:g}, worse than {better[0]:g} of another one"
    if any(score not in (gold, *better) for score in scores):
        return f"{said}: it is not the best there is, or score is wrong"
    word = "lower" if lower_is_better else "higher"
    return (
        f"{said}, and none scores worse than gold: {stated} in {FACTS_FILE} says that {word} is "
        "better, and score says the opposite, unless the gold submission is not what it should be"
    )


def _check_variants(competition: Competition, task: Task, outcome: Outcome) -> None:
    declared = task.validation
    table = _table_to_spoil(competition, declared)
    if table is None:
        return  # as has been told
    answers = task.read_answers(competition.answers)
    possible = task.expect(answers), task.expect(scramble(answers, task))
    for variant in variants(table[declared.names], declared):
        path = competition.data_dir / "variant.csv"
        path.write_bytes(variant.content)
        verdict, report = validate(path, competition), grade_csv(path, competition)
        outcome.add(variant.name, _disagreement(variant, verdict, report, task))
        said, other = _messages(path, task, possible)
        if other != said:
            outcome.add(f"{variant.name}: labels do not matter", f"with other labels: {other}")


def _table_to_spoil(competition: Competition, declared: Submission) -> pd.DataFrame | None:
    """The gold submission, or the sample if only that is good; none if scoring fails anyway."""
    tables = []
    for path in filter(is_filled, (competition.gold_submission, competition.sample_submission)):
        report = grade_csv(path, competition)
        table = declared.under_own_names(pd.read_csv(path, dtype=str, keep_default_na=False))
        if report.status != "grader_error" and set(declared.names) <= set(table.columns):
            tables.append((not report.valid_submission, table))
    return min(tables, key=lambda entry: entry[0])[1] if tables else None


def _disagreement(variant: Variant, verdict: Verdict, report: CompetitionReport, task: Task) -> str:
    """What is wrong with the verdicts on a variant, if anything is."""
    if verdict.is_valid != variant.is_valid:
        return f"expected {'valid' if variant.is_valid else 'invalid'}: {verdict.result}"
    if verdict.is_valid and not report.valid_submission:
        return f"valid, but without a score: {_said(report)}"
    if report.valid_submission and not verdict.is_valid and task.validation is task.submission:
        return f"graded, but not valid: {verdict.result}"
    return ""


def scramble(answers: Any, task: Task) -> Any:
    """The same answers with other labels: everything that is not public in another order."""
    if isinstance(answers, pd.DataFrame):
        hidden = [name for name in answers.columns if name not in task.validation.public_names]
        orders = [part.name for part in task.submission.columns if isinstance(part, Permutation)]
        return answers.assign(
            **{
                name: _reordered(answers[name])
                if name in orders
                else answers[name].to_numpy()[::-1]
                for name in hidden
            }
        )
    public = set(task.validation.public_names)
    return [
        record | {name: value for name, value in other.items() if name not in public}
        for record, other in zip(answers, reversed(answers), strict=True)
    ]


def _reordered(orders: pd.Series[Any]) -> list[str]:
    """The same items, which are public, in another order, which is the label."""
    return [" ".join(str(order).split()[::-1]) for order in orders]


def _messages(path: Path, task: Task, possible: Sequence[Expected]) -> list[str]:
    """What validation says about a file, for each of the answers that there might be."""
    try:
        submitted = task.read_submitted(path)
    except InvalidSubmissionError as error:  # before anybody has looked at answers
        return [str(error)] * len(possible)
    return [_message(submitted, task, expected) for expected in possible]


def _message(submitted: pd.DataFrame, task: Task, expected: Expected) -> str:
    try:
        task.validate(submitted, expected)
    except InvalidSubmissionError as error:
        return str(error)
    return ""


def _why(report: CompetitionReport, competition: Competition, task: Task) -> str:
    """Why a submission has no score, if it has none; in full, as the answers are made up."""
    if report.valid_submission:
        return ""
    if report.status == "grader_error":
        try:
            task.grade(*task.read(Path(report.submission_path), competition.answers))
        except GraderError as error:
            cause = error.__cause__
            return describe_mistake(task.folder, cause) if cause else str(error)
    return _said(report)


def _said(report: CompetitionReport) -> str:
    return report.error["message"] if report.error else ""


# Independent of each other: where one fails, the others go on.
CHECKS_OF_GRADING = {
    "the answers hold the labels that may be chosen": _check_labels,
    "the key tells answers apart": _check_key,
    "no public file gives the answers away": _check_leaks,
    "good submissions": _check_good_submissions,
    "broken submissions": _check_variants,
}
