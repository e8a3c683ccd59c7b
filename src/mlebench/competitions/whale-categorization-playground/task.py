"""Humpback Whale Identification Challenge: whose fluke is in the photo?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.ranking import mean_average_precision_at_k
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_positions
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TokenList, parse_answers

UNKNOWN = "new_whale"
GUESSES = TokenList("Id", most=5)
SAMPLE = f"{UNKNOWN} w_1287fbc w_98baff9 w_7554f44 w_1eafe46"
OPEN, TRAIN, TEST = range(3)

SUBMISSION = Submission(key="Image", columns=(GUESSES,), only_these_columns=True)
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(GUESSES, single_blanks=False),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    photos = read_csv(raw / "train.csv")
    side = part_of_each(photos["Id"])
    train, test = photos[side == TRAIN], photos[side == TEST]
    is_known = test["Id"].isin(train["Id"])
    write_csv(train, public / "train.csv")
    write_csv(test.assign(Id=test["Id"].where(is_known, UNKNOWN)), private / "test.csv")
    write_csv(test.assign(Id=SAMPLE), public / "sample_submission.csv")
    place_all(train["Image"], raw / "train", public / "train")
    place_all(test["Image"], raw / "train", public / "test")


def part_of_each(whales: pd.Series) -> np.ndarray:
    """Which part each photo goes to: whales with several photos are in both of them."""
    lots = np.random.default_rng(0)
    side = np.full(len(whales), OPEN)
    for _, photos in pd.Series(range(len(whales))).groupby(whales.to_numpy(), sort=False):
        if len(photos) == 1:
            side[photos] = lots.choice([TRAIN, TEST], replace=False, p=[0.9, 0.1])
        else:
            drawn = np.random.RandomState(0).permutation(len(photos))[:2]
            side[photos.iloc[drawn]] = TRAIN, TEST
    undecided = np.flatnonzero(side == OPEN)
    train, test = partition_positions(len(undecided), test_size=0.1)
    side[undecided[train]], side[undecided[test]] = TRAIN, TEST
    return side


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_average_precision_at_k(parse_answers(GUESSES, truth), predicted["Id"], k=5)
