"""Google Brain - Ventilator Pressure Prediction: how hard does the ventilator press?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, mae
from mlebench.preparing.partitions import partition_and_stack
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, NumberWhere, Submission

TARGET = "pressure"
BREATHING_IN = ("u_out", 0)
DIGITS = "%.10g"

# Only breathing in is scored; participants know when that is.
SUBMISSION = Submission(
    key="id", columns=(NumberWhere(TARGET, where=BREATHING_IN),), public=("u_out",)
)
SUBMISSION_V2 = replace(SUBMISSION, columns=(Number(TARGET, low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = _breaths(raw)
    _write(numbered(train, 1), numbered(test, 1), public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    train, test = _breaths(raw)
    _write(numbered(train, 1), numbered(test, 1 + len(train)), public, private)


def _breaths(raw: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    return partition_and_stack(read_csv(raw / "train.csv"), by="breath_id", test_size=0.1)


def numbered(steps: pd.DataFrame, first: int) -> pd.DataFrame:
    return steps.assign(id=range(first, first + len(steps)))


def _write(train: pd.DataFrame, test: pd.DataFrame, public: Path, private: Path) -> None:
    sample = test[["id"]].assign(**{TARGET: 0})
    write_csv(train, public / "train.csv", float_format=DIGITS)
    write_csv(test, private / "test.csv", float_format=DIGITS)
    write_csv(test.drop(columns=TARGET), public / "test.csv", float_format=DIGITS)
    write_csv(sample, public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    signal, value = BREATHING_IN
    scored = truth[signal] == value
    return mae(truth.loc[scored, TARGET], predicted.loc[scored, TARGET])
