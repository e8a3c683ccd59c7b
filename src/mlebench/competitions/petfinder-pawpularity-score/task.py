"""PetFinder.my Pawpularity: how much does a pet's photo appeal?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.files import place_all
from mlebench.metrics.regression import rmse
from mlebench.splits import split_rows
from mlebench.submission import Number, Submission
from mlebench.tables import read_csv, write_csv

SUBMISSION = Submission(key="Id", columns=(Number("Pawpularity", low=1, high=100),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="Pawpularity"), public / "test.csv")
    guess = np.random.default_rng(0).uniform(1, 100, len(test)).round(2)
    write_csv(test[["Id"]].assign(Pawpularity=guess), public / "sample_submission.csv")
    place_all(train["Id"] + ".jpg", raw / "train", public / "train")
    place_all(test["Id"] + ".jpg", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return rmse(truth["Pawpularity"], predicted["Pawpularity"])


def fixture(raw: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    rows = 120
    flags = (
        *("Subject Focus", "Eyes", "Face", "Near", "Action", "Accessory"),
        *("Group", "Collage", "Human", "Occlusion", "Info", "Blur"),
    )
    photos = pd.DataFrame(
        {
            "Id": [rng.bytes(16).hex() for _ in range(rows)],
            **{flag: rng.integers(0, 2, rows) for flag in flags},
            "Pawpularity": rng.normal(38, 20, rows).clip(1, 100).astype(int),
        }
    )
    write_csv(photos, raw / "train.csv")
    (raw / "train").mkdir(exist_ok=True)
    for name, appeal in zip(photos["Id"], photos["Pawpularity"]):
        pixels = rng.normal(2 * appeal, 30, (16, 16, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(raw / "train" / f"{name}.jpg")
