"""Spaceship Titanic: who was carried off to another dimension?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Label, Submission

SUBMISSION = Submission(
    key="PassengerId",
    columns=(Label("Transported", choices=(True, False)),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="Transported"), public / "test.csv")
    write_csv(test[["PassengerId"]].assign(Transported=False), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["Transported"], predicted["Transported"])
