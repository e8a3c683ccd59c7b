"""SIIM-FISABIO-RSNA COVID-19 Detection: does the chest look like COVID-19, and where?"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlebench.metrics.classification import average_precision
from mlebench.metrics.ranking import precision_recall_area
from mlebench.metrics.rectangles import are_right
from mlebench.preparing.files import place_tree
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Boxes, Submission, flattened, parse_answers, refuse_boxes

CLASS_OF_FINDING = {
    "Negative for Pneumonia": "negative",
    "Typical Appearance": "typical",
    "Indeterminate Appearance": "indeterminate",
    "Atypical Appearance": "atypical",
}
CLASSES = (*CLASS_OF_FINDING.values(), "opacity", "none")
CORNERS = ("xmin", "ymin", "xmax", "ymax")
ENOUGH_OVERLAP = 0.5

BOXES = Boxes(
    "PredictionString",
    fields=("class", "confidence", *CORNERS),
    words=("class",),
    single_blanks=False,
    may_be_missing=False,
)
SUBMISSION = Submission(key="id", columns=(BOXES,))
# Edition v1 refuses an infinite confidence only of classes that the answers hold.
VALIDATION = replace(SUBMISSION, columns=(replace(BOXES, finite=("confidence",)),))
SUBMISSION_V2 = replace(
    SUBMISSION, columns=(replace(BOXES, choices=CLASSES, finite=("confidence", *CORNERS)),)
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    images = read_csv(raw / "train_image_level.csv").sort_values("id")
    parts = partition_rows(read_csv(raw / "train_study_level.csv"), test_size=0.1)
    train, test = (part.sort_values("id") for part in parts)
    is_test = (images["StudyInstanceUID"] + "_study").isin(test["id"])
    write_csv(train, public / "train_study_level.csv")
    write_csv(images[~is_test], public / "train_image_level.csv")
    for part, studies in (("train", train["id"]), ("test", test["id"])):
        for study in studies.str.removesuffix("_study"):
            place_tree(raw / "train" / study, public / part / study)
    likeliest = test[[*CLASS_OF_FINDING]].to_numpy().argmax(axis=1)
    study_rows = test[["id"]].assign(
        PredictionString=[f"{CLASSES[number]} 1 0 0 1 1" for number in likeliest]
    )
    image_rows = images[is_test].rename(columns={"label": "PredictionString"})[[*study_rows]]
    write_csv(pd.concat([study_rows, image_rows]), private / "test.csv")
    sample = [
        study_rows.assign(PredictionString="negative 1 0 0 1 1"),
        image_rows.assign(PredictionString="none 1 0 0 1 1"),
    ]
    write_csv(pd.concat(sample), public / "sample_submission.csv")


class Found(NamedTuple):
    """The boxes of a class in a submission, and the rows where the truth has some."""

    confidences: np.ndarray
    are_right: np.ndarray
    rows: np.ndarray
    true_rows: np.ndarray


def score(truth: pd.DataFrame, predicted: pd.DataFrame, rows: np.ndarray) -> float:
    cells, true = predicted[BOXES.name].set_axis(rows), parse_answers(BOXES, truth)
    (found, _), (boxes, _) = flattened(cells), flattened(true)
    is_compared = pd.Series(found["class"]).isin(boxes["class"])
    is_odd = is_compared & ~np.isfinite(found["confidence"])
    refuse_boxes(BOXES.name, "confidence must be finite", cells, is_odd.to_numpy())
    precisions = []
    for one in by_class(true, cells):
        missed = len(one.true_rows) - one.are_right.sum()
        # A row without the class, on either side, is one more case to be told apart.
        empty = len(truth) - len(np.union1d(one.rows, one.true_rows))
        cases = np.concatenate([one.are_right, np.ones(missed), np.zeros(empty)])
        confidences = np.concatenate([one.confidences, np.zeros(missed + empty)])
        precisions.append(average_precision(cases, confidences))
    return float(np.mean(precisions))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    areas = []
    for one in by_class(parse_answers(BOXES, truth), predicted[BOXES.name]):
        order = np.argsort(-one.confidences, kind="stable")
        ranks = np.flatnonzero(one.are_right[order]) + 1
        areas.append(precision_recall_area(ranks, len(one.true_rows)))
    return float(np.mean(areas))


def by_class(true_cells: pd.Series, cells: pd.Series) -> Iterator[Found]:
    """Compare the boxes of each class that the truth has."""
    (true, true_rows), (found, rows) = flattened(true_cells), flattened(cells)
    for name in np.unique(true["class"]):
        own, theirs = found["class"] == name, true["class"] == name
        right = are_right(
            corners(found[own]),
            rows[own],
            found["confidence"][own],
            corners(true[theirs]),
            true_rows[theirs],
            above=ENOUGH_OVERLAP,
        )
        yield Found(found["confidence"][own], right, rows[own], true_rows[theirs])


def corners(boxes: np.ndarray) -> np.ndarray:
    return np.stack([boxes[name] for name in CORNERS], axis=1)
