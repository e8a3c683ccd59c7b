"""LMSYS - Chatbot Arena: whose answer did the user like better?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import log_loss
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, with_each, write_csv
from mlebench.submission import Number, RowsSumToOne, Submission

OUTCOMES = ("winner_model_a", "winner_model_b", "winner_tie")
TEXTS = ["id", "prompt", "response_a", "response_b"]

SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(outcome, low=0, high=1) for outcome in OUTCOMES),
    rules=(RowsSumToOne(OUTCOMES, decimals=6),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test[TEXTS], public / "test.csv")
    write_csv(with_each(test[["id"]], OUTCOMES, 1 / 3), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return log_loss(truth[[*OUTCOMES]], predicted[[*OUTCOMES]])
