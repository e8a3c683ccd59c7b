"""Plant Pathology 2020: is the apple leaf healthy, and if not, what ails it?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import mean_columnwise_roc_auc
from mlebench.preparing.files import copy_each, place_each
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, with_each, write_csv
from mlebench.submission import Number, Submission

STATES = ("healthy", "multiple_diseases", "rust", "scab")

SUBMISSION = Submission(
    key="image_id", columns=tuple(Number(state) for state in STATES), only_these_columns=True
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    train, photographs = _renumbered(train, "Train", raw / "images", public / "images")
    place_each(photographs)
    test, photographs = _renumbered(test, "Test", raw / "images", public / "images")
    copy_each(photographs)
    ids = test[["image_id"]]
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(ids, public / "test.csv")
    write_csv(with_each(ids, STATES, 0.25), public / "sample_submission.csv")


def _renumbered(
    leaves: pd.DataFrame, part: str, source: Path, target: Path
) -> tuple[pd.DataFrame, list[tuple[Path, Path]]]:
    """The leaves with new ids, and for each photograph where it is and where it belongs."""
    ids = [f"{part}_{number}" for number in range(len(leaves))]
    pairs = zip(leaves["image_id"], ids)
    photographs = [(source / f"{old}.jpg", target / f"{new}.jpg") for old, new in pairs]
    return leaves.assign(image_id=ids), photographs


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_columnwise_roc_auc(truth[[*STATES]], predicted[[*STATES]])
