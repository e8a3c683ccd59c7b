"""APTOS 2019 Blindness Detection: how far has diabetic retinopathy gone?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import quadratic_kappa
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Label, Submission

GRADES = (0, 1, 2, 3, 4)

SUBMISSION = Submission(key="id_code", columns=(Label("diagnosis", choices=GRADES),))
SUBMISSION_V2 = Submission(
    key="id_code",
    columns=(Label("diagnosis", low=0, high=4, choices=GRADES),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[["id_code"]], public / "test.csv")
    write_csv(test.assign(diagnosis=0), public / "sample_submission.csv")
    place_all(train["id_code"] + ".png", raw / "train_images", public / "train_images")
    place_all(test["id_code"] + ".png", raw / "train_images", public / "test_images")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["diagnosis"], predicted["diagnosis"])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["diagnosis"], predicted["diagnosis"], GRADES, undefined=1.0)
