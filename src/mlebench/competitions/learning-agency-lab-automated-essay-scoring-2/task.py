"""Automated Essay Scoring 2.0: how good is a student's essay?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.classification import quadratic_kappa
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Label, Submission

SCORES = (1, 2, 3, 4, 5, 6)

SUBMISSION = Submission(key="essay_id", columns=(Label("score", choices=SCORES),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("score", low=1, high=6, choices=SCORES),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.drop(columns="score"), public / "test.csv")
    guesses = np.random.RandomState(42).randint(1, 7, size=len(test))
    write_csv(test[["essay_id"]].assign(score=guesses), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["score"], predicted["score"])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return quadratic_kappa(truth["score"], predicted["score"], SCORES, undefined=1.0)
