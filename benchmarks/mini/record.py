"""Run the reference solutions of the split ``mini``, and record their scores.

    python -m benchmarks.mini.record                     all competitions
    python -m benchmarks.mini.record mini-co2            these
    python -m benchmarks.mini.record --check mini-co2    compare with what is recorded

The extra ``agents`` has to be installed. Each solution sees the public data only; its submission is
graded like any other, and ``leaderboard.csv`` in the competition's folder gets its score and name,
best first.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd
from benchmarks.mini.solutions import COMPETITIONS, Solution, solutions_of

from mlebench.data.prepare import prepare
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.competition import LEADERBOARD_FILE, Competition

PREFIX = "mini-"
FEWEST = 40


def score_of(solution: Solution, competition: Competition, work: Path) -> float:
    """The score of what a solution makes of the public data."""
    path = work / "submission.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of models that might have learnt for longer
        solution(competition.public_dir).to_csv(path, index=False)
    report = grade_csv(path, competition)
    if report.score is None:
        raise SystemExit(f"{competition.id}: {report.error}")
    return report.score


def board_of(competition: Competition, work: Path) -> pd.DataFrame:
    """The scores of all solutions, best first, and their names."""
    rows = []
    for name, solution in solutions_of(competition.id.removeprefix(PREFIX)).items():
        started = time.perf_counter()
        rows.append((score_of(solution, competition, work), name))
        print(
            f"{competition.id}  {rows[-1][0]:12.5f}  {time.perf_counter() - started:6.1f} s  {name}"
        )
    if len(rows) < FEWEST:
        raise SystemExit(f"{competition.id} has {len(rows)} solutions; medals need {FEWEST}.")
    board = pd.DataFrame(rows, columns=["score", "solution"])
    by_score = board.sort_values("solution").sort_values(
        "score", ascending=bool(competition.facts.lower_is_better), kind="stable"
    )
    return by_score.reset_index(drop=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("competitions", nargs="*", default=[PREFIX + one for one in COMPETITIONS])
    parser.add_argument("--check", action="store_true", help="Record nothing.")
    options = parser.parse_args()
    differing = 0
    for name in options.competitions:
        with tempfile.TemporaryDirectory() as folder:
            competition = Registry(folder, ()).get_competition(name)
            prepare(competition)
            board = board_of(competition, Path(folder))
            path = competition.folder / LEADERBOARD_FILE
            if not options.check:
                board.to_csv(path, index=False, lineterminator="\n")
                continue
            known = pd.read_csv(path)
            both = board.merge(known, how="outer", on="solution", suffixes=("", " recorded"))
            other = both[both["score"] != both["score recorded"]]
            differing += len(other)
            print(other.to_string(index=False) if len(other) else f"{name}: all as recorded")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
