"""Made-up raw data of Handwritten Digits."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv

from .task import DARKEST, DIGITS, SIDE


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 60
    digit = np.arange(rows) % len(DIGITS)
    shapes = rng.integers(0, DARKEST + 1, (len(DIGITS), SIDE**2))
    noise = rng.integers(-3, 4, (rows, SIDE**2))
    pixels = np.clip(shapes[digit] + noise, 0, DARKEST)
    names = [f"pixel{place}" for place in range(SIDE**2)]
    write_zipped_csv(
        pd.DataFrame(pixels, columns=names).assign(digit=digit), raw / "digits.csv.zip"
    )
