"""iWildCam 2020: which animal has the camera trap caught, if any?"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.coco import as_table
from mlebench.preparing.files import place, place_all
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_json, write_csv, write_json
from mlebench.submission import Label, PositionInGroup, SortedKeys, Submission

TRAIN, TEST = "iwildcam2020_train_annotations.json", "iwildcam2020_test_information.json"
DETECTIONS = "iwildcam2020_megadetector_results.json"
TEST_SHARE = 0.22
CATEGORIES = 676

SUBMISSION = Submission(
    key="Id", columns=(Label("Category", words_are_wrong=True),), matching=SortedKeys()
)
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("Category"),), matching=PositionInGroup())


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, counts_test_twice=True)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, counts_test_twice=False)


def _prepare(raw: Path, public: Path, private: Path, counts_test_twice: bool) -> None:
    known, asked = read_json(raw / TRAIN), read_json(raw / TEST)
    images, annotations = as_table(known["images"]), as_table(known["annotations"])
    test_locations = held_out(images["location"], counts_test_twice)
    is_test = images["location"].isin(test_locations)
    train_images, test_images = images[~is_test], images[is_test]
    of_test = annotations["image_id"].isin(test_images["id"])
    answers = pd.DataFrame(
        {
            "Id": annotations.loc[of_test, "image_id"],
            "Category": annotations.loc[of_test, "category_id"],
        }
    )
    write_csv(answers, private / "answers.csv")
    guesses = np.random.RandomState(0).randint(0, CATEGORIES, len(answers))
    write_csv(answers.assign(Category=guesses), public / "sample_submission.csv")
    told = {
        "annotations": annotations[~of_test],
        "images": train_images,
        "categories": as_table(known["categories"]),
    }
    write_json(records(told) | {"info": known["info"]}, public / TRAIN)
    told = {"images": test_images, "categories": as_table(asked["categories"])}
    write_json(records(told) | {"info": asked["info"]}, public / TEST)
    place(raw / DETECTIONS, public / DETECTIONS)
    place_all(train_images["id"] + ".jpg", raw / "train", public / "train")
    place_all(test_images["id"] + ".jpg", raw / "train", public / "test")


def held_out(locations: "pd.Series[Any]", counts_test_twice: bool) -> list[Any]:
    """The locations of the test part, which has about the same share of all images."""
    train, test = partition_list(locations.drop_duplicates().tolist(), TEST_SHARE)
    sizes = locations.value_counts()

    def share() -> float:
        held = int(sizes[test].sum())
        return held / (len(locations) + held * counts_test_twice)

    while share() < TEST_SHARE:
        test.append(train.pop())
    while share() > TEST_SHARE:
        train.append(test.pop())
    return test


def records(tables: dict[str, pd.DataFrame]) -> dict[str, Any]:
    return {name: table.to_dict(orient="records") for name, table in tables.items()}


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["Category"], predicted["Category"])
