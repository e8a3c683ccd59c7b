"""Handwritten Digits: which digit did somebody write?"""

from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from mlebench.metrics.labels import accuracy
from mlebench.preparing.partitions import partition_and_number
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Label, Submission

SIDE = 8
DARKEST = 16
DIGITS = tuple(range(10))

SUBMISSION = Submission(key="image", columns=(Label("digit", choices=DIGITS),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_and_number(read_csv(raw / "digits.csv.zip"), test_size=0.6)
    names = [_publish(part, public / side) for part, side in ((train, "train"), (test, "test"))]
    train, test = (part[["image", "digit"]] for part in names)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(digit=0), public / "sample_submission.csv")


def _publish(table: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Write the pictures, and return the table with their names."""
    folder.mkdir()
    named = table.assign(image=table["id"].map("{:04}.png".format))
    pixels = table.drop(columns=["id", "digit"]).to_numpy().reshape(-1, SIDE, SIDE)
    grey = (pixels * 255 / DARKEST).round().astype(np.uint8)
    for name, picture in zip(named["image"], grey):
        Image.fromarray(picture).save(folder / name)
    return named


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["digit"], predicted["digit"])
