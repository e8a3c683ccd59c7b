"""RANZCR CLiP: which tubes and lines does the radiograph show, and do they lie well?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import mean_columnwise_roc_auc
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_by_value, partition_rows
from mlebench.preparing.tables import read_csv, with_each, write_csv
from mlebench.submission import Number, Submission

KEY = "StudyInstanceUID"
SCORED = (
    "ETT - Abnormal", "ETT - Borderline", "ETT - Normal", "NGT - Abnormal", "NGT - Borderline",
    "NGT - Incompletely Imaged", "NGT - Normal", "CVC - Abnormal", "CVC - Borderline",
)  # fmt: skip
FINDINGS = (*SCORED, "CVC - Normal", "Swan Ganz Catheter Present")

SUBMISSION = Submission(key=KEY, columns=tuple(Number(name, low=0, high=1) for name in SCORED))
SUBMISSION_V2 = replace(SUBMISSION, columns=tuple(Number(name, low=0, high=1) for name in FINDINGS))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    _write(train, test, SCORED, raw, public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    images = read_csv(raw / "train.csv")
    train, test = partition_by_value(images, by="PatientID", test_size=0.1)
    _write(train, test, FINDINGS, raw, public, private)


def _write(
    train: pd.DataFrame,
    test: pd.DataFrame,
    asked: Sequence[str],
    raw: Path,
    public: Path,
    private: Path,
) -> None:
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(with_each(test[[KEY]], asked, 0), public / "sample_submission.csv")
    annotations = read_csv(raw / "train_annotations.csv")
    known = annotations[annotations[KEY].isin(train[KEY])]
    write_csv(known, public / "train_annotations.csv")
    place_all(train[KEY] + ".jpg", raw / "train", public / "train")
    place_all(test[KEY] + ".jpg", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_columnwise_roc_auc(truth[[*SCORED]], predicted[[*SCORED]])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_columnwise_roc_auc(truth[[*FINDINGS]], predicted[[*FINDINGS]])
