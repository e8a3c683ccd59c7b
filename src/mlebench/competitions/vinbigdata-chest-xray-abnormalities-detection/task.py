"""VinBigData Chest X-ray Abnormalities Detection: what is wrong with the chest, and where?"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlebench.metrics.ranking import precision_recall_area
from mlebench.metrics.rectangles import ABSURD_NUMBERS, are_right, area
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Boxes, Pooled, Submission, flattened

NO_FINDING = 14
CORNERS = ("x_min", "y_min", "x_max", "y_max")
ENOUGH_OVERLAP = 0.4
MOST_OF_A_CLASS = 100  # in an image
LARGEST_AREA = 1e10
RECALLS = np.linspace(0, 1, 101)

BOXES = Boxes(
    "PredictionString",
    fields=("class_id", "confidence", *CORNERS),
    may_be_empty=False,
    finite=("class_id",),
)
SUBMISSION = Submission(key="image_id", columns=(BOXES,), matching=Pooled())
SUBMISSION_V2 = replace(
    SUBMISSION,
    columns=(replace(BOXES, choices=(*range(15),), finite=("confidence", *CORNERS)),),
)
ANSWER_COLUMNS = ("image_id", "class_id", *CORNERS)


def prepare(raw: Path, public: Path, private: Path) -> None:
    findings = read_csv(raw / "train.csv")
    train, test = partition_list(findings["image_id"].drop_duplicates().tolist(), test_size=0.1)
    is_test = findings["image_id"].isin(test)
    write_csv(findings[~is_test], public / "train.csv")
    sample = pd.DataFrame({"image_id": test, "PredictionString": f"{NO_FINDING} 1 0 0 1 1"})
    write_csv(sample, public / "sample_submission.csv")
    # Of all boxes that radiologists drew for a class in an image only the first is kept.
    answers = findings[is_test].groupby(["image_id", "class_id"], as_index=False).first().fillna(0)
    answers.loc[answers["class_id"] == NO_FINDING, ["x_max", "y_max"]] = 1.0
    write_csv(answers, private / "answers.csv")
    boxes = answers[["class_id"]].assign(confidence=1.0).join(answers[[*CORNERS]])
    texts = pd.Series([" ".join(map(str, box)) for box in boxes.itertuples(index=False)])
    gold = texts.groupby(answers["image_id"]).agg(" ".join).rename("PredictionString")
    write_csv(gold.reset_index(), private / "gold_submission.csv")
    for part, images in (("train", train), ("test", test)):
        place_all([f"{image}.dicom" for image in images], raw / "train", public / part)


class Found(NamedTuple):
    """The boxes of a class in a submission and in the answers."""

    boxes: np.ndarray
    images: np.ndarray
    confidences: np.ndarray
    is_first: np.ndarray
    """Marks the first box of the submission."""
    truth: np.ndarray
    true_images: np.ndarray
    true_is_first: np.ndarray
    """Marks the first row of the answers."""


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return float(np.mean([coco_precision(found) for found in by_class(truth, predicted)]))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    areas = []
    for one in by_class(truth, predicted):
        # Among equally confident boxes, neither row nor place in a row may decide.
        order = np.lexsort((*one.boxes.T, one.images, -one.confidences))
        right = are_right(
            *(one.boxes[order], one.images[order], one.confidences[order]),
            *(one.truth, one.true_images),
            above=ENOUGH_OVERLAP,
        )
        ranks = np.flatnonzero(right) + 1
        areas.append(precision_recall_area(ranks, len(one.truth)))
    return float(np.mean(areas))


def by_class(truth: pd.DataFrame, predicted: pd.DataFrame) -> Iterator[Found]:
    """The boxes of each class that the answers have; images are numbered in their order."""
    images, _ = pd.factorize(pd.concat([truth["image_id"], predicted["image_id"]]))
    boxes, rows = flattened(predicted[BOXES.name])
    image_of_box = images[len(truth) :][rows]
    classes, true_classes = np.trunc(boxes["class_id"]), truth["class_id"].to_numpy()
    corners, true_corners = np.stack([boxes[name] for name in CORNERS], 1), truth[[*CORNERS]]
    for number in np.unique(true_classes):
        own, theirs = np.flatnonzero(classes == number), np.flatnonzero(true_classes == number)
        yield Found(
            boxes=corners[own],
            images=image_of_box[own],
            confidences=boxes["confidence"][own],
            is_first=own == 0,
            truth=true_corners.to_numpy(float)[theirs],
            true_images=images[theirs],
            true_is_first=theirs == 0,
        )


def coco_precision(found: Found) -> float:
    """The average precision of a class as the original's evaluator computes it."""
    order = np.lexsort((found.images, -found.confidences))
    order = order[places_among_equals(found.images[order]) < MOST_OF_A_CLASS]
    boxes, images = found.boxes[order], found.images[order]
    by_image = np.argsort(found.true_images)
    place = np.searchsorted(found.true_images[by_image], images)
    true = by_image[place.clip(max=len(by_image) - 1)]  # the only box of its class in an image
    is_near = (found.true_images[true] == images) & (
        overlap(boxes, found.truth[true]) >= ENOUGH_OVERLAP
    )
    # Boxes are numbered from 0, which means "none" to the evaluator: the first prediction does
    # not use a true box up, and whoever finds the first answer is wrong.
    near = np.flatnonzero(is_near)
    turn = places_among_equals(images[near])
    is_first = found.is_first[order[near]] & (turn == 0)
    comes_next = np.isin(images[near], images[near][is_first]) & (turn == 1)
    right = np.zeros(len(order), bool)
    right[near[(turn == 0) | comes_next]] = True
    right &= ~found.true_is_first[true]
    own_area = area(boxes)
    wrong = ~right & ~((own_area < 0) | (own_area > LARGEST_AREA))
    hits, misses = np.cumsum(right), np.cumsum(wrong)
    precision = hits / (hits + misses + np.spacing(1))
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    steps = np.searchsorted(hits / len(found.truth), RECALLS)
    return float(np.append(envelope, 0)[steps].mean())


def places_among_equals(values: np.ndarray) -> np.ndarray:
    """For each value how many equal ones stand before it."""
    return pd.Series(values).groupby(values).cumcount().to_numpy()


@ABSURD_NUMBERS
def overlap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Intersection over union of boxes whose far corners are taken for widths and heights."""
    near = np.fmax(first[:, :2], second[:, :2])
    far = np.fmin(first[:, :2] + first[:, 2:], second[:, :2] + second[:, 2:])
    sides = far - near
    shared = np.where((sides > 0).all(axis=1), sides.prod(axis=1), 0)
    return np.asarray(shared / (first[:, 2:].prod(1) + second[:, 2:].prod(1) - shared))
