"""Cassava Leaf Disease Classification: what ails the plant, if anything does?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.files import place, place_all
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.preparing.tfrecords import names_in, place_shards
from mlebench.submission import Label, Submission

LABELS = (0, 1, 2, 3, 4)
HEALTHY = 4

SUBMISSION = Submission(
    key="image_id", columns=(Label("label", choices=LABELS, words_are_wrong=True),)
)
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("label", low=0, high=4, choices=LABELS),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    test_shards = _prepare(raw, public, private)
    place_shards(test_shards, public / "test_tfrecords", "ld_test")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    test_shards = _prepare(raw, public, private)
    # The original's shards tell the label of every image in them.
    place_shards(test_shards, public / "test_tfrecords", "ld_test", only=("image", "image_name"))


def _prepare(raw: Path, public: Path, private: Path) -> list[Path]:
    shards = sorted((raw / "train_tfrecords").glob("*.tfrec"))
    train_shards, test_shards = partition_list(shards, test_size=0.1)
    photos = read_csv(raw / "train.csv")
    is_test = photos["image_id"].isin(names_in(test_shards))
    train, test = photos[~is_test], photos[is_test]
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(label=HEALTHY), public / "sample_submission.csv")
    place_all(train["image_id"], raw / "train_images", public / "train_images")
    place_all(test["image_id"], raw / "train_images", public / "test_images")
    place(raw / "label_num_to_disease_map.json", public / "label_num_to_disease_map.json")
    place_shards(train_shards, public / "train_tfrecords", "ld_train")
    return test_shards


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["label"], predicted["label"])
