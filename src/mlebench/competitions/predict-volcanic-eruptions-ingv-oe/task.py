"""INGV - Volcanic Eruption Prediction: how long is it until the volcano erupts?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import mae
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, Join, Number, Submission, refuse

TARGET = "time_to_eruption"
FAR_TOO_LONG = 1e300  # no sum of such errors is infinite

SUBMISSION = Submission(key="segment_id", columns=(Number(TARGET),), matching=Join())
VALIDATION = replace(SUBMISSION, columns=(Number(TARGET, low=-FAR_TOO_LONG, high=FAR_TOO_LONG),))
SUBMISSION_V2 = replace(VALIDATION, matching=ExactKey())


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(**{TARGET: 0}), public / "sample_submission.csv")
    for side, part in (("train", train), ("test", test)):
        place_all(part["segment_id"].astype(str) + ".csv", raw / "train", public / side)


def score(truth: pd.DataFrame, predicted: pd.DataFrame, rows: np.ndarray) -> float:
    error = mae(truth[TARGET], predicted[TARGET])
    if np.isinf(error):  # which has no whole number
        times = pd.Series(predicted[TARGET].to_numpy(), index=rows)
        refuse("out_of_range", "values are too large", TARGET, times, abs(times) > FAR_TOO_LONG)
    return float(round(error))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mae(truth[TARGET], predicted[TARGET])
