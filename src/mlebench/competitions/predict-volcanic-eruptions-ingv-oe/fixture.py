"""Made-up raw data of INGV - Volcanic Eruption Prediction."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

READINGS = 6
SENSORS = [f"sensor_{number}" for number in range(1, 11)]


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    segments = pd.DataFrame(
        {
            "segment_id": rng.permutation(10**6)[:rows] + 10**6,
            "time_to_eruption": rng.integers(10_000, 49_000_000, rows),
        }
    )
    write_csv(segments, raw / "train.csv")
    for segment, time in zip(segments["segment_id"], segments["time_to_eruption"]):
        loudness = 3e9 / (time + 10**6)  # the ground grows restless
        readings = rng.normal(0, loudness, (READINGS, len(SENSORS))).round()
        readings[rng.integers(READINGS), rng.integers(len(SENSORS))] = np.nan
        write_csv(pd.DataFrame(readings, columns=SENSORS), raw / "train" / f"{segment}.csv")
