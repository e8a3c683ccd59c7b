"""Identify Contrails: which pixels of a satellite picture are condensation trails?"""

from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pandas as pd

from mlebench.metrics.masks import areas, encode, overlaps, runs_of, stack
from mlebench.preparing.files import place, place_all, place_tree
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import read_json, write_csv, write_json
from mlebench.submission import RunLengths, Submission, parse_answers

BANDS = tuple(f"band_{number:02d}.npy" for number in range(8, 17))
PIXEL_MASKS = "human_pixel_masks.npy"
LABELS = ("human_individual_masks.npy", PIXEL_MASKS)
MASK = RunLengths(
    "encoded_pixels", size=("height", "width"), empty="-", may_be_missing=False, odd_counts=True
)

SUBMISSION = Submission(key="record_id", columns=(MASK,), public=MASK.size)
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(MASK, odd_counts=False, must_fit=True),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    answers = _prepare(raw, public, private)
    write_csv(_filled_at_random(answers), public / "sample_submission.csv")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    answers = _prepare(raw, public, private)
    sample = _filled_at_random(answers)[SUBMISSION_V2.names]
    write_csv(sample, public / "sample_submission.csv")


def _prepare(raw: Path, public: Path, private: Path) -> pd.DataFrame:
    records = read_json(raw / "train_metadata.json")
    validation = read_json(raw / "validation_metadata.json")
    train, test = partition_list(records, test_size=len(validation))
    answers = pd.DataFrame([_answer(raw / "train", record["record_id"]) for record in test])
    write_csv(answers, private / "answers.csv")
    write_json(train, public / "train_metadata.json")
    for part, chosen, files in (("train", train, (*BANDS, *LABELS)), ("test", test, BANDS)):
        for record in chosen:
            name = record["record_id"]
            place_all(files, raw / "train" / name, public / part / name)
    place(raw / "validation_metadata.json", public / "validation_metadata.json")
    place_tree(raw / "validation", public / "validation")
    return answers


def _answer(folder: Path, name: str) -> dict[str, str | int]:
    """A row of the answers; pixels are numbered down the columns."""
    height, width = np.load(folder / name / BANDS[0], mmap_mode="r").shape[:2]
    is_contrail = np.load(folder / name / PIXEL_MASKS)[:, :, 0] == 1
    pixels = encode(runs_of(is_contrail.T)) or MASK.empty
    return {"record_id": name, "encoded_pixels": pixels, "height": height, "width": width}


def _filled_at_random(answers: pd.DataFrame) -> pd.DataFrame:
    random = Random(0)  # noqa: S311
    return answers.assign(encoded_pixels=[random.choice(["1 3 10 5", "-"]) for _ in answers.index])


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return _dice(truth, predicted, of_nothing=float("nan"))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return _dice(truth, predicted, of_nothing=1.0)


def _dice(truth: pd.DataFrame, predicted: pd.DataFrame, of_nothing: float) -> float:
    """The Dice coefficient of all records together."""
    true, guess = stack(parse_answers(MASK, truth)), stack(predicted[MASK.name])
    total = areas(true).sum() + areas(guess).sum()
    return float(2 * overlaps(true, guess).sum() / total) if total else of_nothing
