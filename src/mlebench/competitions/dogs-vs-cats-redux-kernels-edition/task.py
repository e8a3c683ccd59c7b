"""Dogs vs. Cats Redux: does the photograph show a dog rather than a cat?"""

from collections import Counter
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import binary_log_loss
from mlebench.preparing.archives import extract_members, members, pack
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("label", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)
    for side in ("train", "test"):  # the same photographs once more
        photos = sorted((public / side).iterdir())
        pack(public / f"{side}.zip", {photo.name: photo for photo in photos})


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)


def _prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_list(members(raw / "train.zip", ".jpg"), test_size=0.1)
    names = [f"test/{number}.jpg" for number in range(1, len(test) + 1)]
    targets = zip(train + test, _renumbered(train) + names)
    extract_members(raw / "train.zip", {photo: public / target for photo, target in targets})
    answers = pd.DataFrame(
        {"id": range(1, len(test) + 1), "label": [int("dog" in photo) for photo in test]}
    )
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(label=0.5), public / "sample_submission.csv")


def _renumbered(photos: list[str]) -> list[str]:
    """Where training photographs go: each kind is numbered from 0."""
    counts: Counter[str] = Counter()
    names = []
    for photo in photos:
        kind = "cat" if "cat" in photo else "dog"
        names.append(f"train/{kind}.{counts[kind]}.jpg")
        counts[kind] += 1
    return names


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return binary_log_loss(truth["label"], predicted["label"])
