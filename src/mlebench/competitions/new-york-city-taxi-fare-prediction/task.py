"""New York City Taxi Fare Prediction: what does the ride cost?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, rmse
from mlebench.preparing.files import place
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, Number, SortedOnly, Submission

FARE = "fare_amount"
MEAN_FARE = 11.35
MOST_HELD_OUT = 9914
COUPONS = "GCP-Coupons-Instructions.rtf"

SUBMISSION = Submission(key="key", columns=(Number(FARE),), matching=SortedOnly())
SUBMISSION_V2 = replace(
    SUBMISSION,
    columns=(Number(FARE, low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),),
    matching=ExactKey(),
)


def prepare(raw: Path, public: Path, private: Path, test_size: int | None = None) -> None:
    _prepare(raw, public, private, "labels.csv", test_size)


def prepare_v2(raw: Path, public: Path, private: Path, test_size: int | None = None) -> None:
    _prepare(raw, public, private, "train.csv", test_size)


def _prepare(
    raw: Path, public: Path, private: Path, train_name: str, test_size: int | None
) -> None:
    rides = read_csv(raw / "train.csv")
    held_out = min(MOST_HELD_OUT, len(rides) // 10) if test_size is None else test_size
    train, test = partition_rows(rides, test_size=held_out)
    write_csv(train, public / train_name)
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns=FARE), public / "test.csv")
    write_csv(test[["key"]].assign(**{FARE: MEAN_FARE}), public / "sample_submission.csv")
    place(raw / COUPONS, public / COUPONS)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return rmse(truth[FARE], predicted[FARE])
