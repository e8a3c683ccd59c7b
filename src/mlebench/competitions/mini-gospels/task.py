"""Which Gospel: which of four books is the verse from?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.labels import f1
from mlebench.preparing.partitions import partition_and_number
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TextLabel

BOOKS = ("Matthew", "Mark", "Luke", "John")

SUBMISSION = Submission(key="id", columns=(TextLabel("book", choices=BOOKS, missing=None),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_and_number(read_csv(raw / "gospels.csv.zip"), test_size=0.4)
    write_csv(train, public / "train.csv")
    write_csv(test[["id", "book"]], private / "test.csv")
    write_csv(test[["id", "text"]], public / "test.csv")
    write_csv(test[["id"]].assign(book=BOOKS[0]), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1(truth["book"], predicted["book"], average="macro")
