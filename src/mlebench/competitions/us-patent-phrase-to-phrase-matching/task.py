"""U.S. Patent Phrase to Phrase Matching: how alike are two phrases in a technical field?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import pearson
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

# A missing or infinite prediction is graded: the score is NaN.
SUBMISSION = Submission(
    key="id",
    columns=(Number("score", may_be_missing=True, may_be_infinite=True),),
)
SUBMISSION_V2 = Submission(key="id", columns=(Number("score"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="score"), public / "test.csv")
    write_csv(test[["id"]].assign(score=0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return pearson(truth["score"], predicted["score"])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    correlation = score(truth, predicted)
    return 0.0 if np.isnan(correlation) else correlation  # undefined for a constant
