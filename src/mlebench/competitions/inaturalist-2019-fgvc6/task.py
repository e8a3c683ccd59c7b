"""iNaturalist 2019: which of 1,010 species is in the photograph?"""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.archives import repack_tar
from mlebench.preparing.coco import (
    hold_out_of_each,
    pictures_by_category,
    with_pictures,
    write_metadata,
)
from mlebench.preparing.files import place
from mlebench.preparing.tables import read_json, write_csv
from mlebench.submission import FirstLabel, Submission

TRAIN, TEST = "train_val2019", "test2019"

SUBMISSION = Submission(key="id", columns=(FirstLabel("predicted"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, with_validation=False)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, with_validation=True)


def _prepare(raw: Path, public: Path, private: Path, with_validation: bool) -> None:
    metadata = read_json(raw / "train2019.json")
    by_category, test = hold_out_of_each(pictures_by_category(metadata), test_size=0.12)
    train = with_pictures(metadata, chain.from_iterable(by_category))
    write_metadata(train, public / "train2019.json")
    place(raw / "val2019.json", public / "val2019.json")
    old_names = [picture.image["file_name"] for picture in test]
    names = [PurePosixPath(name).name for name in old_names]
    images = [picture.image | {"file_name": f"{TEST}/{name}"} for picture, name in zip(test, names)]
    told = {part: metadata[part] for part in ("info", "licenses")}
    write_metadata(told | {"images": images}, public / "test2019.json")
    answers = pd.DataFrame(
        {
            "id": [image["id"] for image in images],
            "predicted": [picture.category for picture in test],
        }
    )
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(predicted=654), public / "kaggle_sample_submission.csv")
    shown = [train, read_json(raw / "val2019.json")] if with_validation else [train]
    repack_tar(
        raw / f"{TRAIN}.tar.gz",
        {
            # Both are named like compressed archives, but are not.
            public / f"{TRAIN}.tar.gz": names_within(shown),
            public / f"{TEST}.tar.gz": dict(zip(old_names, names)),
        },
    )


def names_within(parts: Iterable[Any]) -> dict[str, str]:
    """The names of photographs, and the same without the folder around them all."""
    names = [image["file_name"] for part in parts for image in part["images"]]
    return {name: name.removeprefix(f"{TRAIN}/") for name in names}


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return 1 - accuracy(truth["predicted"], predicted["predicted"])
