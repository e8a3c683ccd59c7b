"""SIIM-ISIC Melanoma Classification: is the spot on the skin malignant?"""

from collections.abc import Collection
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place_all
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.preparing.tfrecords import names_in, place_shards
from mlebench.submission import Number, Submission

TEST_SHARDS = ("train00-2071.tfrec", "train06-2071.tfrec")
LABELS = ["diagnosis", "benign_malignant", "target"]

SUBMISSION = Submission(key="image_name", columns=(Number("target", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # The original's shards tell the label of every image in them.
    _prepare(raw, public, private, test_features=("image", "image_name"))


def _prepare(
    raw: Path, public: Path, private: Path, test_features: Collection[str] | None = None
) -> None:
    shards = sorted((raw / "tfrecords").glob("train*.tfrec"))
    train_shards = [shard for shard in shards if shard.name not in TEST_SHARDS]
    test_shards = [raw / "tfrecords" / name for name in TEST_SHARDS]
    place_shards(train_shards, public / "tfrecords", "train")
    place_shards(test_shards, public / "tfrecords", "test", only=test_features)
    images = read_csv(raw / "train.csv")
    is_test = images["image_name"].isin(names_in(test_shards))
    train, test = images[~is_test], images[is_test]
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns=LABELS), public / "test.csv")
    answers = test[["image_name", "target"]]
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(target=0), public / "sample_submission.csv")
    for side, names in (("train", train["image_name"]), ("test", test["image_name"])):
        place_all(names + ".dcm", raw / "train", public / side)
        place_all(names + ".jpg", raw / "jpeg" / "train", public / "jpeg" / side)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["target"], predicted["target"])
