"""Segments of Pictures: what do these nine pixels show?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import log_loss
from mlebench.preparing.partitions import partition_and_number
from mlebench.preparing.tables import one_hot, read_csv, write_csv
from mlebench.submission import Number, RowsSumToOne, Submission

CATEGORIES = ("brickface", "cement", "foliage", "grass", "path", "sky", "window")

SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(name, low=0, high=1) for name in CATEGORIES),
    rules=(RowsSumToOne(CATEGORIES),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_and_number(read_csv(raw / "segments.csv.zip"), test_size=0.5)
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns="category"), public / "test.csv")
    ids = test[["id"]]
    write_csv(ids.join(one_hot(test["category"], CATEGORIES)), private / "test.csv")
    write_csv(ids.assign(**dict.fromkeys(CATEGORIES, 0.142857)), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return log_loss(truth[[*CATEGORIES]], predicted[[*CATEGORIES]])
