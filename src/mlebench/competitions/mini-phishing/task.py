"""Phishing Websites: is the website after somebody's password?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.partitions import partition_and_number
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("is_phishing"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_and_number(read_csv(raw / "phishing.csv.zip"), test_size=0.4)
    write_csv(train, public / "train.csv")
    write_csv(test[["id", "is_phishing"]], private / "test.csv")
    write_csv(test.drop(columns="is_phishing"), public / "test.csv")
    write_csv(test[["id"]].assign(is_phishing=0.5), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["is_phishing"], predicted["is_phishing"])
