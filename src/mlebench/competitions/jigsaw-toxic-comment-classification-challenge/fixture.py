"""Made-up raw data of the Toxic Comment Classification Challenge."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids, sentence
from mlebench.preparing.archives import pack

from .task import KINDS

CURSES = ("poisonous", "VILE", "smutty", "beware", 'you "genius"', "your kind")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    train, test = _comments(rng, 40), _comments(rng, 80)
    labels = test.drop(columns="comment_text")
    labels.loc[rng.random(len(test)) < 0.25, [*KINDS]] = -1  # decoys
    sample = labels.assign(**dict.fromkeys(KINDS, 0.5))
    for name, text in (
        ("train.csv", train.to_csv(index=False, quoting=csv.QUOTE_ALL)),
        ("test.csv", test[["id", "comment_text"]].to_csv(index=False)),
        ("test_labels.csv", labels.to_csv(index=False)),
        ("sample_submission.csv", sample.to_csv(index=False)),
    ):
        pack(raw / f"{name}.zip", {name: text})


def _comments(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    """Comments that hold a curse for each way in which they are toxic."""
    marks = (rng.random((rows, len(KINDS))) < 0.3).astype(int)
    texts = [
        ",\n".join([sentence(rng), *(word for word, is_used in zip(CURSES, row) if is_used)])
        for row in marks
    ]
    comments = pd.DataFrame({"id": hex_ids(rng, rows, 16), "comment_text": texts})
    comments.loc[5, "comment_text"] = "NA"  # is read as missing
    return comments.join(pd.DataFrame(marks, columns=[*KINDS]))
