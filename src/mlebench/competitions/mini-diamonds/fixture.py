"""Made-up raw data of Diamond Prices."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    carat = rng.gamma(2, 0.4, rows).round(2) + 0.2
    width = (6.4 * np.cbrt(carat)).round(2)
    diamonds = pd.DataFrame(
        {
            "carat": carat.round(2),
            "cut": rng.choice(["Fair", "Good", "Ideal"], rows),
            "color": rng.choice([*"DEFGHIJ"], rows),
            "clarity": rng.choice(["SI2", "SI1", "VS1"], rows),
            "depth": rng.normal(61.7, 1.4, rows).round(1),
            "table": rng.integers(53, 63, rows),
            "price": (4000 * carat**1.7 * rng.lognormal(0, 0.2, rows)).astype(int),
            "x": width,
            "y": width,
            "z": (0.617 * width).round(2),
        }
    )
    write_zipped_csv(diamonds, raw / "diamonds.csv.zip")
