"""Detecting Insults in Social Commentary: is the comment meant to insult its reader?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, SortedKeys, Submission

COLUMNS = ["Insult", "Date", "Comment"]

# The comments themselves serve as keys, and some occur twice.
SUBMISSION = Submission(
    key="Comment", columns=(Number("Insult", low=0, high=1),), matching=SortedKeys()
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    place(raw / "train.csv", public / "train.csv")
    place(raw / "test_with_solutions.csv", private / "test.csv")
    test = read_csv(raw / "test_with_solutions.csv")[COLUMNS]
    write_csv(test, private / "gold_submission.csv")
    write_csv(test.drop(columns="Insult"), public / "test.csv")
    write_csv(test.assign(Insult=0), public / "sample_submission_null.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["Insult"], predicted["Insult"])
