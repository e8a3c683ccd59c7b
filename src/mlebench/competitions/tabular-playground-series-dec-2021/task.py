"""Tabular Playground Series - Dec 2021: which kind of forest covers the ground?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Label, Submission

TARGET = "Cover_Type"
COVERS = (1, 2, 3, 4, 5, 6, 7)
MOST_COMMON = 2

SUBMISSION = Submission(key="Id", columns=(Label(TARGET, choices=COVERS, words_are_wrong=True),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label(TARGET, low=1, high=7, choices=COVERS),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns=TARGET), public / "test.csv")
    write_csv(test[["Id"]].assign(**{TARGET: MOST_COMMON}), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth[TARGET], predicted[TARGET])
