"""Rain by station: a number for each of two keys."""

from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import rmse
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

KEY = ("station", "day")
DAYS_HELD_OUT = 2

SUBMISSION = Submission(key=KEY, columns=(Number("rain", low=0),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Hold the last days of all stations out."""
    weather = read_csv(raw / "weather.csv")
    is_late = weather["day"] > weather["day"].max() - DAYS_HELD_OUT
    test = weather[is_late]
    write_csv(weather[~is_late], public / "train.csv")
    write_csv(test.drop(columns="rain"), public / "test.csv")
    write_csv(test[[*KEY, "rain"]], private / "answers.csv")
    write_csv(test[[*KEY]].assign(rain=1.0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """Compare millimetres."""
    return rmse(truth["rain"], predicted["rain"])
