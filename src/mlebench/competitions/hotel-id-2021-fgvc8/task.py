"""Hotel-ID 2021: in which hotel was the photo of a room taken?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.ranking import mean_average_precision_at_k
from mlebench.preparing.files import copy_each, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TokenList, parse_answers

LISTED_TWICE = "ce27d36c9147cc19.jpg"
GUESSES = TokenList("hotel_id", most=5)
SAMPLE = "36363 53586 18807 64314 60181"

SUBMISSION = Submission(key="image", columns=(GUESSES,))
SUBMISSION_V2 = replace(
    SUBMISSION, columns=(replace(GUESSES, missing="", single_blanks=False, stays_whole=True),)
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    photos = read_csv(raw / "train.csv")
    train, test = partition_rows(photos[photos["image"] != LISTED_TWICE], test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[["image"]].assign(hotel_id=SAMPLE), public / "sample_submission.csv")
    place_all(names_by_chain(train), raw / "train_images", public / "train_images")
    copy_each(
        (raw / "train_images" / source, public / "test_images" / name)
        for source, name in zip(names_by_chain(test), test["image"])
    )


def names_by_chain(photos: pd.DataFrame) -> pd.Series:
    return photos["chain"].astype(str) + "/" + photos["image"]


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    right = parse_answers(GUESSES, truth)
    return mean_average_precision_at_k(right, predicted["hotel_id"], k=5)
