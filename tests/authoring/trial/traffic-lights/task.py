"""Traffic lights: a word for each image."""

from pathlib import Path

import pandas as pd

from mlebench.metrics.labels import f1
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_stratified
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TextLabel

LIGHTS = ("red", "amber", "green")

SUBMISSION = Submission(key="file", columns=(TextLabel("light", choices=LIGHTS, missing=None),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Hold a quarter of the images of each light out."""
    labels = read_csv(raw / "lights.csv")
    train, test = partition_stratified(labels, by="light", test_size=0.25)
    place_all(train["file"], raw / "images", public / "train")
    place_all(test["file"], raw / "images", public / "test")
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.assign(light="amber"), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """Every light counts the same, however rare."""
    return f1(truth["light"], predicted["light"], average="macro")
