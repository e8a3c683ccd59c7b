"""What grading a million rows costs, as a ratio to reading the same two files with pandas.

Answers are shaped like those of the competition, the submission is filled in the order of
the sample, as agents write it. The other cases show what pairing by id adds: shuffled rows,
ids that are all wrong, ids that are repeated, and answers that repeat their own. The ratios are
those to reading with ``pandas.read_csv(float_precision="round_trip")``, which is what the original
pays before it starts to grade; to the file in sample order; and to Arrow's bare parse of the same
two files, which is as fast as they can be read. Rounds alternate and the fastest of each counts.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv

from mlebench.errors import InvalidSubmissionError
from mlebench.registry import registry


def hex_ids(rows: int, digits: int, rng: np.random.Generator) -> list[str]:
    return [f"{number:0{digits - 1}x}z" for number in rng.permutation(rows)]


def spaceship(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    bills = ("RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck")
    return pd.DataFrame(
        {
            "PassengerId": [f"{k // 8:06d}_{k % 8:02d}" for k in range(rows)],
            "HomePlanet": rng.choice(["Earth", "Europa", "Mars"], rows),
            "CryoSleep": rng.random(rows) < 0.4,
            "Cabin": [f"F/{k // 8}/S" for k in range(rows)],
            "Destination": rng.choice(["TRAPPIST-1e", "55 Cancri e"], rows),
            "Age": rng.integers(0, 80, rows).astype(float),
            "VIP": rng.random(rows) < 0.1,
            **{bill: rng.exponential(300, rows).round() for bill in bills},
            "Name": [f"Passenger {k}" for k in range(rows)],
            "Transported": rng.random(rows) < 0.5,
        }
    )


def patents(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": hex_ids(rows, 16, rng),
            "anchor": rng.choice(["gear housing", "fuel nozzle"], rows),
            "target": rng.choice(["the gear housings", "nozzle for fuel"], rows),
            "context": rng.choice(["A47", "B60"], rows),
            "score": rng.integers(0, 5, rows) / 4,
        }
    )


def nomad(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    features = {f"feature_{k}": rng.uniform(0, 20, rows).round(4) for k in range(11)}
    targets = {
        "formation_energy_ev_natom": rng.uniform(0, 0.5, rows).round(4),
        "bandgap_energy_ev": rng.uniform(0, 5, rows).round(4),
    }
    return pd.DataFrame({"id": range(1, rows + 1), **features, **targets})


def petfinder(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    flags = {f"flag {k}": rng.integers(0, 2, rows) for k in range(12)}
    ids = hex_ids(rows, 32, rng)
    return pd.DataFrame({"Id": ids, **flags, "Pawpularity": rng.integers(1, 101, rows)})


def pizza(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    ids = [f"t3_{number}" for number in hex_ids(rows, 6, rng)]
    return pd.DataFrame({"request_id": ids, "requester_received_pizza": rng.integers(0, 2, rows)})


def aptos(rows: int, rng: np.random.Generator) -> pd.DataFrame:
    return pd.DataFrame({"id_code": hex_ids(rows, 12, rng), "diagnosis": rng.integers(0, 5, rows)})


ANSWERS: dict[str, Callable[[int, np.random.Generator], pd.DataFrame]] = {
    "spaceship-titanic": spaceship,
    "us-patent-phrase-to-phrase-matching": patents,
    "nomad2018-predict-transparent-conductors": nomad,
    "petfinder-pawpularity-score": petfinder,
    "random-acts-of-pizza": pizza,
    "aptos2019-blindness-detection": aptos,
}


def read_with_pandas(*paths: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pandas 3.1 calls the option obsolete
        for path in paths:
            pd.read_csv(path, float_precision="round_trip")


def parse_with_arrow(*paths: Path) -> None:
    for path in paths:
        pyarrow.csv.read_csv(path)


def in_sample_order(submitted: pd.DataFrame, key: str) -> pd.DataFrame:
    return submitted


def shuffled(submitted: pd.DataFrame, key: str) -> pd.DataFrame:
    return submitted.sample(frac=1, random_state=0)


def all_ids_wrong(submitted: pd.DataFrame, key: str) -> pd.DataFrame:
    return shuffled(submitted, key).assign(**{key: lambda table: "x" + table[key].astype(str)})


def ids_repeated(submitted: pd.DataFrame, key: str) -> pd.DataFrame:
    half = submitted.iloc[: len(submitted) // 2]
    return shuffled(pd.concat([half, submitted.iloc[: len(submitted) - len(half)]]), key)


MOST_TIMES_ARROW = {in_sample_order: 3.0, shuffled: 6.0}
CASES = (in_sample_order, shuffled, all_ids_wrong, ids_repeated)


def fastest(rounds: int, *calls: Callable[[], None]) -> list[float]:
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for position, call in enumerate(calls):
            started = time.perf_counter()
            call()
            best[position] = min(best[position], time.perf_counter() - started)
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{options.rows:,} rows, pandas {pd.__version__}: seconds to grade / to read / to parse")
    is_slow = False
    for competition_id, make in ANSWERS.items():
        table = make(options.rows, rng)
        is_slow |= measure(competition_id, table, CASES, options.rounds, rng)
    table = aptos(options.rows, rng)
    table["id_code"] = table["id_code"].sample(frac=1, replace=True, random_state=0).to_numpy()
    print("the same with answers that repeat their own ids")
    is_slow |= measure("aptos2019-blindness-detection", table, CASES[:2], options.rounds, rng)
    return int(is_slow)


def measure(
    competition_id: str,
    table: pd.DataFrame,
    cases: Sequence[Callable[[pd.DataFrame, str], pd.DataFrame]],
    rounds: int,
    rng: np.random.Generator,
) -> bool:
    """Print what grading costs; returns whether that is too much."""
    task = registry.get_competition(competition_id).task
    if task is None:
        raise SystemExit(f"{competition_id} has no task")
    with tempfile.TemporaryDirectory() as folder:
        answers, submission = Path(folder, "answers.csv"), Path(folder, "submission.csv")
        table.to_csv(answers, index=False)
        example = task.submission.example(table, rng)

        def grade() -> None:
            with contextlib.suppress(InvalidSubmissionError):
                task.grade(*task.read(submission, answers))

        base, is_slow = float("nan"), False
        for case in cases:
            case(example, task.submission.keys[0]).to_csv(submission, index=False)
            graded, read, parsed = fastest(
                rounds,
                grade,
                lambda: read_with_pandas(submission, answers),
                lambda: parse_with_arrow(submission, answers),
            )
            base = graded if case is in_sample_order else base
            name = case.__name__.replace("_", " ")
            print(
                f"{competition_id:42} {name:16} {graded / read:5.2f} {graded / base:5.2f} "
                f"{graded / parsed:5.2f}   ({graded:.3f} / {read:.3f} / {parsed:.3f})",
                flush=True,
            )
            is_slow |= graded / parsed > MOST_TIMES_ARROW.get(case, float("inf"))
    return is_slow


if __name__ == "__main__":
    raise SystemExit(main())
