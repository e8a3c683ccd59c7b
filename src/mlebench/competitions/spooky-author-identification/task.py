"""Spooky Author Identification: Poe, Lovecraft or Shelley?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import log_loss
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import one_hot, read_csv, write_csv
from mlebench.submission import Number, RowsSumToOne, Submission

AUTHORS = ("EAP", "HPL", "MWS")
SHARES = (0.403493538995863, 0.287808366106543, 0.308698094897594)

SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(author, low=0, high=1) for author in AUTHORS),
    rules=(RowsSumToOne(AUTHORS),),
    only_these_columns=True,
    key_first=True,
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.zip"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns="author"), public / "test.csv")
    ids = test[["id"]]
    write_csv(ids.join(one_hot(test["author"], AUTHORS)), private / "test.csv")
    write_csv(ids.assign(**dict(zip(AUTHORS, SHARES))), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return log_loss(truth[[*AUTHORS]], predicted[[*AUTHORS]])
