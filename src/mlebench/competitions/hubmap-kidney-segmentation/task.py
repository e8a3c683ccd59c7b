"""HuBMAP - Hacking the Kidney: where in a tissue section are the glomeruli?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.masks import dices, stack
from mlebench.preparing.files import place, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import RunLengths, Submission, parse_answers

INFORMATION = "HuBMAP-20-dataset_information.csv"
SIZE = ("width_pixels", "height_pixels")
MASK = RunLengths("predicted", size=SIZE, odd_counts=True)
TRUE_MASK = replace(MASK, name="encoding")
PICTURE, STRUCTURES, OUTLINES = ".tiff", "-anatomical-structure.json", ".json"

SUBMISSION = Submission(key="id", columns=(MASK,), public=SIZE)
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(MASK, odd_counts=False, must_fit=True),))
ANSWER_COLUMNS = ("id", TRUE_MASK.name, *SIZE)


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, test_files=(PICTURE, STRUCTURES, OUTLINES))


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # The outlines of the glomeruli are what is to be predicted.
    _prepare(raw, public, private, test_files=(PICTURE, STRUCTURES))


def _prepare(raw: Path, public: Path, private: Path, test_files: tuple[str, ...]) -> None:
    images = read_csv(raw / "train.csv")
    train, test = partition_rows(images, test_size=3)
    information = read_csv(raw / INFORMATION)
    ids = information["image_file"].str.replace(PICTURE, "", regex=False)
    is_known = ids.isin(images["id"])
    sizes = information.assign(id=ids).loc[is_known, ["id", *SIZE]]
    gold = test.rename(columns={TRUE_MASK.name: MASK.name})
    write_csv(train, public / "train.csv")
    write_csv(information[is_known], public / INFORMATION)
    write_csv(test.merge(sizes, on="id"), private / "test.csv")
    write_csv(gold, private / "gold_submission.csv")
    write_csv(gold.assign(predicted=""), public / "sample_submission.csv")
    for ending in (PICTURE, STRUCTURES, OUTLINES):
        place_all(train["id"] + ending, raw / "train", public / "train")
    for ending in test_files:
        place_all(test["id"] + ending, raw / "train", public / "test")
    place(public / "sample_submission.csv", public / "test" / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    true, guess = stack(parse_answers(TRUE_MASK, truth)), stack(predicted[MASK.name])
    return float(np.nan_to_num(dices(true, guess), nan=1.0).mean())
