"""Spooky Author Identification: Poe, Lovecraft or Shelley?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.archives import pack
from mlebench.metrics.classification import log_loss
from mlebench.splits import split_rows
from mlebench.submission import Number, RowsSumToOne, Submission
from mlebench.tables import read_csv, write_csv

AUTHORS = ("EAP", "HPL", "MWS")
SHARES = (0.403493538995863, 0.287808366106543, 0.308698094897594)

SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(author, low=0, high=1) for author in AUTHORS),
    rules=(RowsSumToOne(AUTHORS),),
    only_these_columns=True,
    key_first=True,
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = split_rows(read_csv(raw / "train.zip"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns="author"), public / "test.csv")
    ids = test[["id"]]
    one_hot = {author: (test["author"] == author).astype(int) for author in AUTHORS}
    write_csv(ids.assign(**one_hot), private / "test.csv")
    write_csv(ids.assign(**dict(zip(AUTHORS, SHARES))), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return log_loss(truth[[*AUTHORS]], predicted[[*AUTHORS]])


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    phrases = {
        "EAP": ("the raven", 'he said, "nevermore"', "a beating heart", "the pendulum fell"),
        "HPL": (
            "the nameless city",
            "an eldritch sea",
            "cyclopean, dripping stone",
            "Arkham slept",
        ),
        "MWS": ("my creature", "the alpine ice", "a spark of life", "Geneva, my home"),
    }
    authors = rng.choice(AUTHORS, rows)
    table = pd.DataFrame(
        {
            "id": [f"id{number:05d}" for number in rng.permutation(90_000)[:rows]],
            "text": [" and ".join(rng.choice(phrases[author], 2)) + "." for author in authors],
            "author": authors,
        }
    )
    pack(raw / "train.zip", {"train.csv": table.to_csv(index=False)})
