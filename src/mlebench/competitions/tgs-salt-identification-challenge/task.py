"""TGS Salt Identification Challenge: which pixels of a seismic image are salt?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.masks import areas, overlaps, stack
from mlebench.preparing.archives import extract_members, open_member
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import RunLengths, Submission, parse_answers

SIDE = 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)
MASK = RunLengths("rle_mask", pixels=SIDE * SIDE, odd_counts=True)

SUBMISSION = Submission(key="id", columns=(MASK,), only_these_columns=True)
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(MASK, odd_counts=False),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    archive, folder = raw / "competition_data.zip", "competition_data"
    with open_member(archive, f"{folder}/train.csv") as file:
        train, test = partition_rows(read_csv(file), test_size=0.25)
    train, test = train.sort_values("id"), test.sort_values("id")
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(rle_mask="1 1"), public / "sample_submission.csv")
    depths = read_csv(raw / "depths.csv").sort_values("id")
    write_csv(depths[depths["id"].isin(train["id"])], public / "depths.csv")
    for part, tiles, kinds in (("train", train, ("images", "masks")), ("test", test, ("images",))):
        targets = {
            f"{folder}/train/{kind}/{tile}.png": public / part / kind / f"{tile}.png"
            for kind in kinds
            for tile in tiles["id"]
        }
        extract_members(archive, targets)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # Where there is salt, the original's histogram takes an empty mask for a full one.
    return _mean_precision(truth, predicted, empty_is_full=True)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return _mean_precision(truth, predicted, empty_is_full=False)


def _mean_precision(truth: pd.DataFrame, predicted: pd.DataFrame, empty_is_full: bool) -> float:
    """The mean over tiles of the share of thresholds that the overlap exceeds."""
    true, guess = stack(parse_answers(MASK, truth)), stack(predicted["rle_mask"])
    salt, marked, shared = areas(true), areas(guess), overlaps(true, guess)
    is_empty = marked == 0
    if empty_is_full:
        marked = np.where(is_empty, SIDE * SIDE, marked)
        shared = np.where(is_empty, salt, shared)
    iou = shared / np.maximum(salt + marked - shared, 1)
    precision = (iou[:, None] > THRESHOLDS).mean(axis=1)
    return float(np.where(salt > 0, precision, is_empty).mean())
