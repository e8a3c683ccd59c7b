"""iWildCam 2019: which animal passes a camera trap in southern California, if any?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import f1
from mlebench.preparing.archives import repack
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CutLabel, Label, PositionInGroup, SortedKeys, Submission

ANIMALS = (
    "empty", "deer", "moose", "squirrel", "rodent", "small_mammal", "elk", "pronghorn_antelope",
    "rabbit", "bighorn_sheep", "fox", "coyote", "black_bear", "raccoon", "skunk", "wolf", "bobcat",
    "cat", "dog", "opossum", "bison", "mountain_goat", "mountain_lion",
)  # fmt: skip
LABELS = tuple(range(len(ANIMALS)))

SUBMISSION = Submission(
    key="Id", columns=(CutLabel("Category", choices=LABELS),), matching=SortedKeys()
)
SUBMISSION_V2 = replace(
    SUBMISSION,
    columns=(Label("Category", low=0, high=LABELS[-1], choices=LABELS),),
    matching=PositionInGroup(),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    sample = _prepare(raw, public, private)
    sample.insert(0, "", sample.index)  # the original's row labels, in a column without a name
    write_csv(sample, public / "sample_submission.csv")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    write_csv(_prepare(raw, public, private), public / "sample_submission.csv")


def _prepare(raw: Path, public: Path, private: Path) -> pd.DataFrame:
    """All but the sample submission, which is given back."""
    train, test = partition_by_value(
        read_csv(raw / "train.csv"), by="location", test_size=0.1, seed=8
    )
    answers = pd.DataFrame({"Id": test["id"], "Category": test["category_id"]})
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns="category_id"), public / "test.csv")
    write_csv(test, private / "test.csv")
    write_csv(answers, private / "answers.csv")
    for side, photos in (("train", train), ("test", test)):
        names = {name: name for name in photos["id"] + ".jpg"}
        repack(raw / "train_images.zip", public / f"{side}_images.zip", names)
    return answers.assign(Category=0)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1(truth["Category"], predicted["Category"], average="macro")
