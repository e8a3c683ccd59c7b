"""Vesuvius Challenge - Ink Detection: where on a carbonised papyrus is ink?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.masks import areas, overlaps, stack
from mlebench.preparing.files import place_tree
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, PositionAndKey, RunLengths, Submission, parse_answers

TRAIN, TEST = ("1", "2"), "3"
LABELS = ("inklabels.png", "inklabels_rle.csv", "ir.png")
FRAGMENT = "a"  # what the test fragment is called
SIZE = ("width", "height")
MASK = RunLengths("Predicted", size=SIZE, may_be_missing=False, odd_counts=True)

SUBMISSION = Submission(
    key="Id", columns=(MASK,), matching=PositionAndKey(), public=SIZE, only_these_columns=True
)
SUBMISSION_V2 = replace(
    SUBMISSION, columns=(replace(MASK, odd_counts=False, must_fit=True),), matching=ExactKey()
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    from PIL import Image

    fragments = raw / "train"
    for name in TRAIN:
        place_tree(fragments / name, public / "train" / name)
    place_tree(fragments / TEST, public / "test" / FRAGMENT, leave_out=LABELS)
    with Image.open(fragments / TEST / "ir.png") as photograph:
        width, height = photograph.size
    gold = read_csv(fragments / TEST / "inklabels_rle.csv").assign(Id=FRAGMENT)
    write_csv(gold.assign(width=width, height=height), private / "inklabels_rle.csv")
    write_csv(gold, private / "gold_submission.csv")
    write_csv(gold.assign(Predicted="1 1 5 1"), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """The mean F score over fragments, precision being twice as important as recall."""
    true, guess = stack(parse_answers(MASK, truth)), stack(predicted[MASK.name])
    hits = 1.25 * overlaps(true, guess)
    total = 0.25 * areas(true) + areas(guess)
    return float((hits / total.clip(min=1)).mean())  # no pixels at all score nothing
