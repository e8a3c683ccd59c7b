"""Carbon Dioxide on Mauna Loa: how does the curve go on?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, mae
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

FIRST_OF_TEST = "1996"

SUBMISSION = Submission(key="date", columns=(Number("co2", low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    weeks = read_csv(raw / "co2.csv.zip")
    is_later = weeks["date"] >= FIRST_OF_TEST
    train, test = weeks[~is_later], weeks[is_later]
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[["date"]], public / "test.csv")
    write_csv(test[["date"]].assign(co2=350.0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mae(truth["co2"], predicted["co2"])
