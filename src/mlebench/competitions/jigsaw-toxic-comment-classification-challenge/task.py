"""Toxic Comment Classification Challenge: in which ways is the comment toxic?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.metrics.classification import mean_columnwise_roc_auc
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CastNumber, ExactKey, Number, SortedKnownKeys, Submission

KINDS = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")

SUBMISSION = Submission(
    key="id",
    columns=tuple(
        CastNumber(kind, may_be_missing=True, may_be_infinite=True, words_are_missing=True)
        for kind in KINDS
    ),
    matching=SortedKnownKeys(),
    only_these_columns=True,
    by_place=True,
)
# Some test comments are decoys, of which edition v1 accepts anything; which ones, labels tell.
VALIDATION = replace(SUBMISSION, columns=tuple(Number(kind) for kind in KINDS), matching=ExactKey())
SUBMISSION_V2 = replace(VALIDATION, only_these_columns=False, by_place=False)


def prepare(raw: Path, public: Path, private: Path) -> None:
    sample = read_csv(raw / "sample_submission.csv.zip")
    write_csv(read_csv(raw / "train.csv.zip"), public / "train.csv")
    write_csv(read_csv(raw / "test.csv.zip"), public / "test.csv")
    write_csv(read_csv(raw / "test_labels.csv.zip"), private / "test.csv")
    write_csv(sample.assign(**dict.fromkeys(KINDS, 0.5)), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    labels = scored_labels(truth)
    is_scored = predicted["id"].isin(truth["id"][labels.index]).to_numpy()
    if is_scored.sum() != len(labels):
        raise InvalidSubmissionError(
            "Ids are repeated in place of others, so that rows and answers cannot be paired.",
            code="duplicate_ids",
            column="id",
        )
    # Columns are compared by their place, whatever they are called.
    chances = predicted.drop(columns="id")[is_scored]
    for kind, cells in chances.items():
        if not np.isfinite(cells).all():
            raise InvalidSubmissionError(  # rows would tell decoys, which may hold anything
                f"Column {kind!r}: expected finite numbers in every row.",
                code="not_a_number",
                column=str(kind),
            )
    return mean_columnwise_roc_auc(labels, chances)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    labels = scored_labels(truth)
    return mean_columnwise_roc_auc(labels, predicted.loc[labels.index, [*KINDS]])


def scored_labels(truth: pd.DataFrame) -> pd.DataFrame:
    """The labels of all comments but the decoys, which have -1 for each."""
    labels = truth[[*KINDS]]
    return labels[labels.sum(axis=1) >= 0]
