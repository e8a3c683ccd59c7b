"""RSNA Cervical Spine Fracture Detection: which vertebrae of the neck are broken?"""

from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pandas as pd

from mlebench.preparing.files import place_all, place_tree
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

STUDY = "StudyInstanceUID"
OVERALL = "patient_overall"
TYPES = (OVERALL, "C1", "C2", "C3", "C4", "C5", "C6", "C7")
OVERALL_WEIGHT = 7  # of a vertebra's
FRACTURE_WEIGHT = 2  # of a sound bone's
TINY = 1e-15

SUBMISSION = Submission(key="row_id", columns=(Number("fractured", low=0, high=1),))
ANSWER_COLUMNS = ("row_id", STUDY, "prediction_type", "fractured")


class Drawn(NamedTuple):
    """Training studies, and those of them whose annotations are published."""

    train: set[str]
    boxed: set[str]
    segmented: set[str]


def prepare(raw: Path, public: Path, private: Path) -> None:
    # The share was meant for the held-out studies.
    _prepare(raw, public, private, train_share=0.1, every_annotation=False)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, train_share=0.9, every_annotation=True)


def _prepare(
    raw: Path, public: Path, private: Path, *, train_share: float, every_annotation: bool
) -> None:
    studies, boxes = read_csv(raw / "train.csv"), read_csv(raw / "train_bounding_boxes.csv")
    boxed = sorted(boxes[STUDY].unique())
    segmented = sorted(path.stem for path in (raw / "segmentations").glob("*.nii"))
    drawn = _draw(studies[STUDY].tolist(), boxed, segmented, train_share)
    if every_annotation:
        drawn = Drawn(drawn.train, drawn.train, drawn.train & set(segmented))
    is_train = studies[STUDY].isin(drawn.train)
    train, test = studies[is_train], studies[~is_train]
    rows = test.melt(STUDY, TYPES, var_name="prediction_type", value_name="fractured")
    answers = rows.assign(row_id=rows[STUDY] + "_" + rows["prediction_type"])
    write_csv(train, public / "train.csv")
    write_csv(boxes[boxes[STUDY].isin(drawn.boxed)], public / "train_bounding_boxes.csv")
    write_csv(answers, private / "answers.csv")
    write_csv(answers.drop(columns="fractured"), public / "test.csv")
    write_csv(answers[["row_id"]].assign(fractured=0.5), public / "sample_submission.csv")
    masks = (f"{study}.nii" for study in drawn.segmented)
    place_all(masks, raw / "segmentations", public / "segmentations")
    for part, table in (("train_images", train), ("test_images", test)):
        for study in table[STUDY]:
            place_tree(raw / "train_images" / study, public / part / study)


def _draw(studies: list[str], boxed: list[str], segmented: list[str], share: float) -> Drawn:
    """Draw training studies: a share of all, and so of those with boxes, masks or both."""
    random = Random(0)  # noqa: S311 (nothing secret)

    def draw(chosen: list[str], others: set[str], count: int) -> set[str]:
        return set(random.sample([study for study in chosen if study not in others], count))

    annotated = set(boxed) & set(segmented)
    both = draw(boxed, set(boxed) - annotated, round(share * len(annotated)))
    masks = draw(segmented, annotated, round(share * len(segmented)) - len(both))
    boxes = draw(boxed, annotated, round(share * len(boxed)) - len(both))
    picked = both | masks | boxes
    rest = draw(studies, picked, round(share * len(studies)) - len(picked))
    return Drawn(picked | rest, both | boxes, both | masks)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    is_fractured = truth["fractured"].to_numpy() == 1
    chances = predicted["fractured"].to_numpy(dtype=np.float64).clip(TINY, 1 - TINY)
    losses = -np.log(np.where(is_fractured, chances, 1 - chances))
    is_overall = truth["prediction_type"].to_numpy() == OVERALL
    weights = np.where(is_overall, OVERALL_WEIGHT, 1) * np.where(is_fractured, FRACTURE_WEIGHT, 1)
    studies, _ = pd.factorize(truth[STUDY])
    by_study = np.bincount(studies, weights * losses) / np.bincount(studies, weights)
    return float(by_study.mean())
