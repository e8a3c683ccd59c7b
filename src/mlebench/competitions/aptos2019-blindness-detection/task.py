"""APTOS 2019 Blindness Detection: how far has diabetic retinopathy gone?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.files import place_all
from mlebench.metrics.classification import quadratic_kappa
from mlebench.splits import split_rows
from mlebench.submission import Label, Submission
from mlebench.tables import read_csv, write_csv

GRADES = (0, 1, 2, 3, 4)

SUBMISSION = Submission(key="id_code", columns=(Label("diagnosis", choices=GRADES),))
SUBMISSION_V2 = Submission(
    key="id_code",
    columns=(Label("diagnosis", low=0, high=4, choices=GRADES),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[["id_code"]], public / "test.csv")
    write_csv(test.assign(diagnosis=0), public / "sample_submission.csv")
    place_all(train["id_code"] + ".png", raw / "train_images", public / "train_images")
    place_all(test["id_code"] + ".png", raw / "train_images", public / "test_images")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["diagnosis"], predicted["diagnosis"])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["diagnosis"], predicted["diagnosis"], labels=GRADES)


def fixture(raw: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    rows = 120
    photos = pd.DataFrame(
        {
            "id_code": [rng.bytes(6).hex() for _ in range(rows)],
            "diagnosis": rng.choice(GRADES, rows, p=[0.5, 0.1, 0.25, 0.05, 0.1]),
        }
    )
    write_csv(photos, raw / "train.csv")
    (raw / "train_images").mkdir(exist_ok=True)
    for name, grade in zip(photos["id_code"], photos["diagnosis"]):
        pixels = rng.normal(60 + 30 * grade, 20, (16, 16, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(raw / "train_images" / f"{name}.png")
