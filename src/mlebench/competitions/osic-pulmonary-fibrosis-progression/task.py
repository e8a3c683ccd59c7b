"""OSIC Pulmonary Fibrosis Progression: how fast does a patient's lung function decline?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.metrics.pairs import mean
from mlebench.preparing.files import place_tree
from mlebench.preparing.partitions import partition_and_stack
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import AtMostAsked, AtMostOnce, ExactKey, Number, Submission

GUESS = {"FVC": 2000, "Confidence": 100}
SCORED_VISITS = 3
LEAST_CONFIDENCE = 70.0
LARGEST_ERROR = 1000.0

SUBMISSION = Submission(
    key="Patient_Week",
    columns=tuple(Number(name, may_be_missing=True, may_be_infinite=True) for name in GUESS),
    matching=AtMostAsked(),
)
# Edition v1 refuses a repeated row only if it is scored, which is for scoring to know.
VALIDATION = replace(SUBMISSION, matching=AtMostOnce())
SUBMISSION_V2 = Submission(
    key="Patient_Week",
    columns=(Number("FVC", may_be_missing=True), Number("Confidence")),
    matching=ExactKey(),
)
ANSWER_COLUMNS = ("Patient", "Weeks", "FVC", "Patient_Week")


def prepare(raw: Path, public: Path, private: Path) -> None:
    visits = read_csv(raw / "train.csv")
    train, test = partition_and_stack(visits, by="Patient", test_size=0.1)
    first_visits = test.sort_values("Weeks").groupby("Patient", as_index=False).first()
    answers = _every_week(test).merge(test, on=["Patient", "Weeks"], how="left")
    answers["Patient_Week"] = answers["Patient"] + "_" + answers["Weeks"].astype(str)
    answers["Confidence"] = GUESS["Confidence"]
    write_csv(train, public / "train.csv")
    write_csv(first_visits, public / "test.csv")
    write_csv(answers, private / "test.csv")
    write_csv(answers[["Patient_Week"]].assign(**GUESS), public / "sample_submission.csv")
    for side, part in (("train", train), ("test", test)):
        for patient in part["Patient"].unique():
            place_tree(raw / "train" / patient, public / side / patient)


def _every_week(visits: pd.DataFrame) -> pd.DataFrame:
    """Each patient with each week from the first visit of anybody to the last."""
    weeks = np.arange(visits["Weeks"].min(), visits["Weeks"].max() + 1)
    patients = visits["Patient"].unique()
    columns = {"Patient": np.repeat(patients, len(weeks)), "Weeks": np.tile(weeks, len(patients))}
    return pd.DataFrame(columns)


def public_table(answers: pd.DataFrame) -> pd.DataFrame:
    return answers[["Patient_Week"]]  # which rows are scored is not for checks to know


def answer_table(answers: pd.DataFrame) -> pd.DataFrame:
    return _with_scored(answers, _visits(answers))


def answer_table_v2(answers: pd.DataFrame) -> pd.DataFrame:
    visits = _visits(answers)
    return _with_scored(answers, visits[visits.duplicated("Patient")])  # the first one is known


def _visits(answers: pd.DataFrame) -> pd.DataFrame:
    return answers.dropna(subset="FVC").sort_values("Weeks")


def _with_scored(answers: pd.DataFrame, visits: pd.DataFrame) -> pd.DataFrame:
    """The answers, with a mark on the last visits of each patient."""
    scored = visits.groupby("Patient").tail(SCORED_VISITS)
    return answers.assign(is_scored=answers.index.isin(scored.index))


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    scored = truth["is_scored"].to_numpy()
    ids = truth.loc[scored, "Patient_Week"]
    # The original cannot pair rows that are repeated, unless it is one of them and no other.
    if ids.nunique() > 1 and ids.duplicated().any():
        raise InvalidSubmissionError(  # which rows are scored is not for participants to know
            "Column 'Patient_Week': weeks are repeated; give each of them once.",
            code="duplicate_ids",
            column="Patient_Week",
        )
    errors = np.minimum(_errors(truth, predicted), LARGEST_ERROR)
    return _likelihood(errors[scored], predicted.loc[scored, "Confidence"].fillna(0))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    scored = truth["is_scored"].to_numpy()
    errors = np.fmin(_errors(truth, predicted), LARGEST_ERROR)  # a missing value is the worst
    return _likelihood(errors[scored], predicted.loc[scored, "Confidence"])


def _errors(truth: pd.DataFrame, predicted: pd.DataFrame) -> np.ndarray:
    errors: np.ndarray = np.abs(truth["FVC"].to_numpy() - predicted["FVC"].to_numpy())
    return errors


def _likelihood(errors: np.ndarray, confidences: pd.Series) -> float:
    """The mean logarithm of Laplace's density."""
    spreads = np.sqrt(2) * np.maximum(confidences.to_numpy(), LEAST_CONFIDENCE)
    return mean(-2 * errors / spreads - np.log(spreads))
