"""Paddy Doctor: which disease or pest does the rice leaf show?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.files import copy_each, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TextLabel

CLASSES = (
    "bacterial_leaf_blight",
    "bacterial_leaf_streak",
    "bacterial_panicle_blight",
    "blast",
    "brown_spot",
    "dead_heart",
    "downy_mildew",
    "hispa",
    "normal",
    "tungro",
)
LABEL = TextLabel("label", choices=CLASSES, numbers_are_wrong=True)

SUBMISSION = Submission(key="image_id", columns=(LABEL,))
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(LABEL, numbers_are_wrong=False),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.25)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[["image_id"]].assign(label=None), public / "sample_submission.csv")
    images = raw / "train_images"
    place_all(train["label"] + "/" + train["image_id"], images, public / "train_images")
    copy_each(
        (images / label / image, public / "test_images" / image)
        for label, image in zip(test["label"], test["image_id"])
    )


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["label"], predicted["label"])
