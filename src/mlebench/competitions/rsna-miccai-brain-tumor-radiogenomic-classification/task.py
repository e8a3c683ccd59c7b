"""RSNA-MICCAI Brain Tumor: does the tumour have a methylated MGMT promoter?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place_tree
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

FAULTY = ("00109", "00123", "00709")  # as the organisers say

SUBMISSION = Submission(key="BraTS21ID", columns=(Number("MGMT_value", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(_labels(raw), raw, public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    labels = _labels(raw)
    _prepare(labels[~labels["BraTS21ID"].isin(FAULTY)], raw, public, private)


def _labels(raw: Path) -> pd.DataFrame:
    return read_csv(raw / "train_labels.csv", dtype={"BraTS21ID": str})  # with leading zeros


def _prepare(labels: pd.DataFrame, raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(labels, test_size=0.1)
    write_csv(train, public / "train_labels.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(MGMT_value=0.5), public / "sample_submission.csv")
    for side, subjects in (("train", train["BraTS21ID"]), ("test", test["BraTS21ID"])):
        for subject in subjects:
            place_tree(raw / "train" / subject, public / side / subject)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["MGMT_value"], predicted["MGMT_value"])
