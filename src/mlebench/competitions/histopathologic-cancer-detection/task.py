"""Histopathologic Cancer Detection: is there tumour tissue in the centre of the patch?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("label", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    patches = read_csv(raw / "train_labels.csv")
    unlabelled = sum(1 for _ in (raw / "test").glob("*.tif"))
    share = unlabelled / (len(patches) + unlabelled)
    train, test = partition_by_value(patches, by="id", test_size=share)
    write_csv(train, public / "train_labels.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.assign(label=0), public / "sample_submission.csv")
    place_all(train["id"] + ".tif", raw / "train", public / "train")
    place_all(test["id"] + ".tif", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["label"], predicted["label"])
