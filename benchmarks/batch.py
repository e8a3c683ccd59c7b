"""What grading thousands of small submissions costs, in seconds and per line.

Submissions go to a built-in competition, whose process stays warm, and to two in the
original's format, whose graders get a process of their own for each. Beside them stands what
the original pays at the least: reading submission and answers with pandas, one line after the
other, in a process that is already running.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from tests.grading.original import add_original

from mlebench.data.prepare import prepare
from mlebench.grading.batch import grade_jsonl
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

BUILT_IN = "spaceship-titanic"

# Two graders in the original's format.
GRADERS = {
    "original-with-pandas": """\
def grade(submission, answers):
    return float((submission["Transported"] == answers["Transported"]).mean())
""",
    "original-with-sklearn": """\
from sklearn.metrics import accuracy_score


def grade(submission, answers):
    return accuracy_score(answers["Transported"], submission["Transported"])
""",
}
SECONDS_FOR_10_000 = {BUILT_IN: 15, **dict.fromkeys(GRADERS, 120)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        built_in = Registry(work / "data").get_competition(BUILT_IN)
        prepare(built_in, fixture=True)
        for name, code in GRADERS.items():
            add_original(
                work / "competitions",
                work / "data",
                name,
                code,
                answers=built_in.answers.read_bytes(),
                submission=built_in.sample_submission.read_bytes(),
            )
        registry = Registry(work / "data", [work / "competitions"])
        print(f"{options.lines:,} lines, {options.workers} workers")
        is_slow = False
        for competition_id, limit in SECONDS_FOR_10_000.items():
            competition = registry.get_competition(competition_id)
            seconds = grade(work, registry, competition, options.lines, options.workers)
            is_slow |= seconds / options.lines > limit / 10_000
            reading = read_with_pandas(competition, min(options.lines, 200))
            print(
                f"{competition_id:24} {seconds:6.1f} s (limit {limit} s for 10,000 on two cores), "
                f"{1000 * seconds / options.lines:.2f} ms a line, "
                f"{seconds / options.lines / reading:.2f} times reading with pandas"
            )
    return int(is_slow)


def grade(
    work: Path, registry: Registry, competition: Competition, lines: int, workers: int
) -> float:
    sample = pd.read_csv(competition.sample_submission)
    rng = np.random.default_rng(0)
    entries = []
    for number in range(lines):  # each another one, as in real batches
        path = work / competition.id / f"{number}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(_with_guesses(sample, rng).to_csv(index=False))
        entries.append({"competition_id": competition.id, "submission_path": str(path)})
    submissions = work / "submissions.jsonl"
    submissions.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    started = time.perf_counter()
    path = grade_jsonl(submissions, work / "out", registry, workers=workers)
    seconds = time.perf_counter() - started
    totals = json.loads(path.read_text())
    if totals["total_valid_submissions"] != lines:
        raise SystemExit(f"{competition.id}: not all were graded, see {path}")
    return seconds


def _with_guesses(sample: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Predictions of one's own, in every second file in an order of its own."""
    guesses = sample.assign(Transported=rng.random(len(sample)) < 0.5)
    return guesses.sample(frac=1, random_state=0) if rng.random() < 0.5 else guesses


def read_with_pandas(competition: Competition, rounds: int) -> float:
    """Seconds for one line."""
    started = time.perf_counter()
    for _ in range(rounds):
        pd.read_csv(competition.sample_submission)
        pd.read_csv(competition.answers)
    return (time.perf_counter() - started) / rounds


if __name__ == "__main__":
    raise SystemExit(main())
