"""Made-up raw data of Carbon Dioxide on Mauna Loa."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    dates = pd.date_range("1994-01-01", periods=160, freq="7D")
    years = np.arange(160) / 52
    curve = 358 + 1.5 * years + 3 * np.sin(2 * np.pi * years) + rng.normal(0, 0.3, 160)
    weeks = pd.DataFrame({"date": dates.strftime("%Y-%m-%d"), "co2": curve.round(1)})
    write_zipped_csv(weeks, raw / "co2.csv.zip")
