"""What grading a million rows costs, as a ratio to reading the same two files with pandas.

Answers are shaped like those of the competition, the submission is filled in the order of
the sample, as agents write it; the shuffled case shows what aligning by id adds. Reading is
``pandas.read_csv(float_precision="round_trip")``, which is what the original pays before it
starts to grade. Rounds alternate and the fastest of each counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.registry import registry

LIMIT = 1.0


def spaceship(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "PassengerId": [f"{k // 8:06d}_{k % 8:02d}" for k in range(rows)],
            "HomePlanet": rng.choice(["Earth", "Europa", "Mars"], rows),
            "Age": rng.integers(0, 80, rows).astype(float),
            "RoomService": rng.exponential(300, rows).round(),
            "Transported": rng.random(rows) < 0.5,
        }
    )


def petfinder(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    flags = {f"flag{k}": rng.integers(0, 2, rows) for k in range(12)}
    ids = [f"{k:032x}" for k in rng.permutation(rows)]
    return pd.DataFrame({"Id": ids, **flags, "Pawpularity": rng.integers(1, 101, rows)})


def pizza(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    ids = [f"t3_{k:06x}z" for k in rng.permutation(rows)]
    return pd.DataFrame({"request_id": ids, "requester_received_pizza": rng.integers(0, 2, rows)})


def aptos(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    ids = [f"{k:011x}z" for k in rng.permutation(rows)]
    return pd.DataFrame({"id_code": ids, "diagnosis": rng.integers(0, 5, rows)})


ANSWERS: dict[str, Callable[[int, np.random.Generator], pd.DataFrame]] = {
    "spaceship-titanic": spaceship,
    "petfinder-pawpularity-score": petfinder,
    "random-acts-of-pizza": pizza,
    "aptos2019-blindness-detection": aptos,
}


def read_with_pandas(*paths: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas 3.1 calls the option obsolete
        for path in paths:
            pd.read_csv(path, float_precision="round_trip")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    failed = False
    print(f"{options.rows:,} rows, pandas {pd.__version__}: seconds to grade / to read")
    for competition_id, make in ANSWERS.items():
        task = registry.get_competition(competition_id).task
        if task is None:
            raise SystemExit(f"{competition_id} has no task")
        with tempfile.TemporaryDirectory() as folder:
            answers, submission = Path(folder, "answers.csv"), Path(folder, "submission.csv")
            table = make(options.rows, rng)
            table.to_csv(answers, index=False)
            predicted = task.submission.example(table[task.submission.key], rng)
            for order in ("in sample order", "shuffled"):
                if order == "shuffled":
                    predicted = predicted.sample(frac=1, random_state=0)
                predicted.to_csv(submission, index=False)
                best = {"grade": float("inf"), "read": float("inf")}
                for _ in range(options.rounds):
                    started = time.perf_counter()
                    task.grade(*task.read(submission, answers))
                    graded = time.perf_counter()
                    read_with_pandas(submission, answers)
                    best["grade"] = min(best["grade"], graded - started)
                    best["read"] = min(best["read"], time.perf_counter() - graded)
                ratio = best["grade"] / best["read"]
                failed |= order == "in sample order" and ratio > LIMIT
                print(
                    f"{competition_id:32} {order:16} {ratio:5.2f}"
                    f"   ({best['grade']:.3f} / {best['read']:.3f})"
                )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
