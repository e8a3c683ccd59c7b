"""Enzyme Substrate Dataset: which of two classes of enzymes act on the molecule?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

LABELS = ("EC1", "EC2", "EC3", "EC4", "EC5", "EC6")
TARGETS = ("EC1", "EC2")

SUBMISSION = Submission(key="id", columns=tuple(Number(target) for target in TARGETS))
SUBMISSION_V2 = replace(
    SUBMISSION, columns=tuple(Number(target, low=0, high=1) for target in TARGETS)
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns=[*LABELS]), public / "test.csv")
    sample = test[["id"]].assign(**dict.fromkeys(TARGETS, 0.5))
    write_csv(sample, public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return sum(roc_auc(truth[target], predicted[target]) for target in TARGETS) / len(TARGETS)
