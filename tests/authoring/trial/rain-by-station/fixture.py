"""Made-up weather of two stations on four days."""

from pathlib import Path

import pandas as pd

from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    """Write a small table whose last two days are easily scored by hand."""
    table = pd.DataFrame(
        {
            "station": ["hill"] * 4 + ["shore"] * 4,
            "day": [1, 2, 3, 4] * 2,
            "temperature": [11.5, 9.0, 8.5, 10.0, 14.0, 13.5, 12.0, 12.5],
            "rain": [0.0, 1.5, 2.0, 4.0, 0.5, 3.0, 0.0, 6.0],
        }
    )
    write_csv(table, raw / "weather.csv")
