"""Made-up raw data of Tabular Playground Series - May 2022."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

SMALL_NUMBERS = {*range(7, 19), 29, 30}
LETTERS, LARGE = 27, 28


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    is_on = rng.permutation(np.arange(rows) % 2)
    records = pd.DataFrame({"id": rng.permutation(10_000)[:rows]})
    for number in range(31):
        records[f"f_{number:02d}"] = _feature(number, rng, is_on)
    write_csv(records.assign(target=is_on), raw / "train.csv")


def _feature(number: int, rng: np.random.Generator, is_on: np.ndarray) -> np.ndarray:
    if number == LETTERS:
        letters = rng.choice([*"ABCDEFGHIJKLMNOPQRST"], (len(is_on), 10))
        return np.array(["".join(word) for word in letters])
    if number in SMALL_NUMBERS:
        return rng.poisson(2 + is_on)
    return rng.normal(is_on, 300 if number == LARGE else 1)
