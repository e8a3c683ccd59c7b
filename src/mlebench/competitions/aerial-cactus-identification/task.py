"""Aerial Cactus Identification: does the thumbnail show a columnar cactus?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.archives import repack
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("has_cactus", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.19)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(has_cactus=0.5), public / "sample_submission.csv")
    for side, images in (("train", train["id"]), ("test", test["id"])):
        repack(
            raw / "train.zip", public / f"{side}.zip", {f"train/{image}": image for image in images}
        )


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["has_cactus"], predicted["has_cactus"])
