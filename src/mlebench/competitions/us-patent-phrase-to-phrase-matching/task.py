"""U.S. Patent Phrase to Phrase Matching: how alike are two phrases in a technical field?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import pearson
from mlebench.splits import split_rows
from mlebench.submission import Number, Submission
from mlebench.tables import read_csv, write_csv

# A missing or infinite prediction is graded: the score is NaN.
SUBMISSION = Submission(
    key="id",
    columns=(Number("score", may_be_missing=True, may_be_infinite=True),),
)
SUBMISSION_V2 = Submission(key="id", columns=(Number("score"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="score"), public / "test.csv")
    write_csv(test[["id"]].assign(score=0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return pearson(truth["score"], predicted["score"])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    correlation = score(truth, predicted)
    return 0.0 if np.isnan(correlation) else correlation  # undefined for a constant


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    anchors = ("gear housing", "fuel nozzle", "signal filter", "metal coating", "valve seat")
    targets = {
        1.0: "the {0} {1}s",
        0.75: "{1} of the {0}",
        0.5: "{1}",
        0.25: '{0} "part", other',
        0.0: "woven shoe",
    }
    anchor, scores = rng.choice(anchors, rows), rng.choice([*targets], rows)
    pairs = pd.DataFrame(
        {
            "id": [rng.bytes(8).hex() for _ in range(rows)],
            "anchor": anchor,
            "target": [targets[level].format(*text.split()) for text, level in zip(anchor, scores)],
            "context": rng.choice(["A47", "B60", "F02", "H04"], rows),
            "score": scores,
        }
    )
    write_csv(pairs, raw / "train.csv")
