"""RSNA Screening Mammography: is there cancer in this breast?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import NotAllBelow, Number, Submission

TEST_COLUMNS = (
    "site_id", "patient_id", "image_id", "laterality", "view", "age", "implant", "machine_id",
    "prediction_id",
)  # fmt: skip

# Nothing but negative numbers makes the original divide by zero.
SUBMISSION = Submission(
    key="prediction_id",
    columns=(Number("cancer", may_be_missing=True, may_be_infinite=True),),
    rules=(NotAllBelow("cancer", bound=0),),
)
SUBMISSION_V2 = Submission(key="prediction_id", columns=(Number("cancer"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    images = read_csv(raw / "train.csv")
    train, test = partition_by_value(images, by="patient_id", test_size=0.1, seed=42)
    test = test.assign(prediction_id=test["patient_id"].astype(str) + "_" + test["laterality"])
    breasts = test.groupby("prediction_id", as_index=False)[["cancer"]].first()
    write_csv(train, public / "train.csv")
    write_csv(test[[*TEST_COLUMNS]], public / "test.csv")
    write_csv(breasts, private / "answers.csv")
    write_csv(breasts.assign(cancer=train["cancer"].mean()), public / "sample_submission.csv")
    for part, table in (("train_images", train), ("test_images", test)):
        names = (f"{one}/{image}.dcm" for one, image in zip(table["patient_id"], table["image_id"]))
        place_all(names, raw / "train_images", public / part)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """The F1 score, each prediction counting as so much of a positive one."""
    has_cancer = truth["cancer"].to_numpy() == 1
    chances = predicted["cancer"].to_numpy(dtype=np.float64).clip(0, 1)
    f1 = 2 * chances[has_cancer].sum() / (has_cancer.sum() + chances.sum())
    return float(f1) if f1 > 0 else 0.0  # also where a prediction is missing
