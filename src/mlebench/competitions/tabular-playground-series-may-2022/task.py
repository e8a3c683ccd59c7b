"""Tabular Playground Series - May 2022: in which of two states is the machine?"""

from math import ceil
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

HELD_OUT = 100_000  # of 900,000; a smaller table gives as large a share

SUBMISSION = Submission(key="id", columns=(Number("target", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    records = read_csv(raw / "train.csv")
    held_out = HELD_OUT if len(records) > HELD_OUT else ceil(len(records) / 9)
    train, test = partition_rows(records, test_size=held_out)
    train = train.assign(id=range(len(train)))
    test = test.assign(id=range(len(train), len(records)))
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="target"), public / "test.csv")
    write_csv(test[["id", "target"]], private / "gold_submission.csv")
    write_csv(test[["id"]].assign(target=0.5), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["target"], predicted["target"])
