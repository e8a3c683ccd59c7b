"""Predicting Molecular Properties: how strongly do two atoms of a molecule couple?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, mae
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_and_stack
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, Join, Number, Submission

TARGET = "scalar_coupling_constant"
SMALLEST_ERROR = 1e-9  # Kaggle's floor, below which nothing is gained
TABLES = (
    "structures",
    "dipole_moments",
    "magnetic_shielding_tensors",
    "mulliken_charges",
    "potential_energy",
    "scalar_coupling_contributions",
)

SUBMISSION = Submission(key="id", columns=(Number(TARGET),), matching=Join())
SUBMISSION_V2 = replace(
    SUBMISSION,
    columns=(Number(TARGET, low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),),
    matching=ExactKey(),
)
ANSWER_COLUMNS = ("id", "type", TARGET)


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, known_structures="train")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, known_structures="all")


def _prepare(raw: Path, public: Path, private: Path, known_structures: str) -> None:
    couplings = read_csv(raw / "train.csv")
    train, test = partition_and_stack(couplings, by="molecule_name", test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.drop(columns=TARGET), public / "test.csv")
    write_csv(test[["id"]].assign(**{TARGET: 0}), public / "sample_submission.csv")
    shown = train if known_structures == "train" else couplings
    for name in TABLES:
        table = read_csv(raw / f"{name}.csv")
        known = shown if name == "structures" else train
        chosen = table[table["molecule_name"].isin(known["molecule_name"])]
        write_csv(chosen, public / f"{name}.csv")
    molecules = shown["molecule_name"].unique() + ".xyz"
    place_all(molecules, raw / "structures", public / "structures")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    with np.errstate(divide="ignore", over="ignore"):  # no error at all, or one beyond bounds
        return float(np.log(_errors_by_type(truth, predicted)).mean())


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    errors = np.maximum(_errors_by_type(truth, predicted), SMALLEST_ERROR)
    return float(np.log(errors).mean())


def _errors_by_type(truth: pd.DataFrame, predicted: pd.DataFrame) -> np.ndarray:
    right, guesses = truth[TARGET].to_numpy(), predicted[TARGET].to_numpy()
    types = truth.groupby("type").indices.values()
    return np.array([mae(right[rows], guesses[rows]) for rows in types])
