"""Made-up raw data of New York City Taxi Fare Prediction."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

from .task import COUPONS

CENTRE = np.array([-73.98, 40.75])


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    seconds = pd.to_timedelta(rng.integers(0, 6 * 365 * 86_400, rows), unit="s")
    times = (pd.Timestamp("2009-01-01") + seconds).strftime("%Y-%m-%d %H:%M:%S")
    start, end = CENTRE + rng.normal(0, 0.03, (2, rows, 2))
    fares = 2.5 + 200 * np.abs(end - start).sum(axis=1)
    rides = pd.DataFrame(
        {
            "key": [f"{time}.{number:07d}" for number, time in enumerate(times, start=1)],
            "fare_amount": fares.round(1),
            "pickup_datetime": times + " UTC",
            "pickup_longitude": start[:, 0],
            "pickup_latitude": start[:, 1],
            "dropoff_longitude": end[:, 0],
            "dropoff_latitude": end[:, 1],
            "passenger_count": rng.integers(0, 7, rows),
        }
    )
    rides.loc[rng.permutation(rows)[:3], ["dropoff_longitude", "dropoff_latitude"]] = np.nan
    write_csv(rides, raw / "train.csv")
    (raw / COUPONS).write_text(r"{\rtf1\ansi No coupons here.}")
