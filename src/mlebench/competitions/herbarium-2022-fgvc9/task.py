"""Herbarium 2022: which North American species is the pressed plant on the sheet?"""

from dataclasses import replace
from itertools import chain
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import f1
from mlebench.preparing.coco import (
    answers_in_order,
    hold_out_of_each,
    pictures_by_category,
    place_pictures,
    renamed,
    with_pictures,
    write_metadata,
)
from mlebench.preparing.tables import read_json, write_csv
from mlebench.submission import CutLabel, Label, Submission

KEY = "image_id"  # what other herbaria call id

SUBMISSION = Submission(key="Id", columns=(CutLabel("Predicted"),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("Predicted"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    images, metadata = raw / "train_images", read_json(raw / "train_metadata.json")
    categories = pictures_by_category(metadata, KEY)
    by_category, test = hold_out_of_each(categories, test_size=0.2, splits_from=2)
    train = list(chain.from_iterable(by_category))
    train_names = (
        train_name(picture.category, number)
        for pictures in by_category
        for number, picture in enumerate(pictures, start=1)
    )
    new_train = renamed(train, train_names, KEY)
    write_metadata(with_pictures(metadata, new_train), public / "train_metadata.json")
    place_pictures(train, new_train, images, public / "train_images")
    new_test = renamed(test, map(held_out_name, range(len(test))), KEY)
    write_metadata([picture.image for picture in new_test], public / "test_metadata.json")
    place_pictures(test, new_test, images, public / "test_images", held_out=True)
    answers = answers_in_order(test)
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(Predicted=42), public / "sample_submission.csv")


def train_name(category: int, number: int) -> tuple[str, str]:
    name = f"{category:05d}__{number:03d}"
    return name, f"{category // 100:03d}/{category % 100:02d}/{name}.jpg"


def held_out_name(number: int) -> tuple[str, str]:
    return str(number), f"{number // 1000:03d}/test-{number:06d}.jpg"


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1(truth["Predicted"], predicted["Predicted"], average="macro")
