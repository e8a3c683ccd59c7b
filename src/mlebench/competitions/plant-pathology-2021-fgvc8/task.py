"""Plant Pathology 2021: which diseases does the apple leaf show?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.tags import f1_over_tags
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import LabelSet, Submission, parse_answers

NAMES = ("complex", "frog_eye_leaf_spot", "healthy", "powdery_mildew", "rust", "scab")
LABELS = LabelSet("labels", choices=NAMES)

SUBMISSION = Submission(key="image", columns=(LABELS,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.2)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.assign(labels="healthy"), public / "sample_submission.csv")
    place_all(train["image"], raw / "train_images", public / "train_images")
    place_all(test["image"], raw / "train_images", public / "test_images")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # What no answer has is not counted against a prediction.
    right = parse_answers(LABELS, truth)
    return f1_over_tags(right, predicted["labels"], unknown_is_free=True)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1_over_tags(parse_answers(LABELS, truth), predicted["labels"])
