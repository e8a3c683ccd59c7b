"""Jigsaw Unintended Bias: is the comment toxic, whoever it mentions?"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

# Those of 24 that the test set mentions often enough.
IDENTITIES = (
    "male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black",
    "white", "psychiatric_or_mental_illness",
)  # fmt: skip
THRESHOLD = 0.5
POWER = -5


@dataclass(frozen=True)
class Toxicity(Number):
    """A number of any size or none; truth values may have gaps among them, too."""

    may_be_missing: bool = True
    may_be_infinite: bool = True

    def parse(self, cells: pd.Series, public: pd.DataFrame) -> pd.Series:
        """The numbers; nothing but text is refused."""
        are_truth_values = pd.api.types.infer_dtype(cells, skipna=True) == "boolean"
        return super().parse(cells.astype(float) if are_truth_values else cells, public)


SUBMISSION = Submission(
    key="id",
    columns=(Toxicity("prediction"),),
    other_names={"toxicity": "prediction"},  # as the answers have it
)
SUBMISSION_V2 = replace(SUBMISSION, columns=(Number("prediction", low=0, high=1),))
ANSWER_COLUMNS = ("id", "toxicity", *IDENTITIES)


def prepare(raw: Path, public: Path, private: Path) -> None:
    place(raw / "train.csv", public / "train.csv")
    place(raw / "test_private_expanded.csv", private / "test.csv")
    test = read_csv(raw / "test_private_expanded.csv")[["id", "comment_text"]]
    write_csv(test, public / "test.csv")
    write_csv(test[["id"]].assign(prediction=0.0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_of_aucs(truth, (predicted["prediction"] >= THRESHOLD).to_numpy())


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_of_aucs(truth, predicted["prediction"].to_numpy())


def mean_of_aucs(truth: pd.DataFrame, guesses: np.ndarray) -> float:
    """The mean of the AUC over all comments and those of three choices for each identity."""
    is_toxic = (truth["toxicity"] >= THRESHOLD).to_numpy()

    def auc(rows: np.ndarray) -> float:
        return roc_auc(is_toxic[rows], guesses[rows])

    mentions = [(truth[identity] >= THRESHOLD).to_numpy() for identity in IDENTITIES]
    within = power_mean([auc(own) for own in mentions])
    kind_within_toxic_without = power_mean([auc(own != is_toxic) for own in mentions])
    toxic_within_kind_without = power_mean([auc(own == is_toxic) for own in mentions])
    biases = within, kind_within_toxic_without, toxic_within_kind_without
    return float(np.mean([roc_auc(is_toxic, guesses), *biases]))


def power_mean(values: list[float]) -> float:
    """A mean that the worst value dominates; 0 if there is a 0."""
    with np.errstate(divide="ignore"):
        return float(np.mean(np.power(values, float(POWER))) ** (1 / POWER))
