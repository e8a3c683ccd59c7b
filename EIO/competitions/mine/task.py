"""mine."""

from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import rmse
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("value"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Turn the raw files into what agents see (public) and the answers (private)."""
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="value"), public / "test.csv")
    write_csv(test[["id"]].assign(value=0.0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """Score predictions whose rows correspond to those of the answers."""
    return rmse(truth["value"], predicted["value"])


def prepare(raw: Path, public: Path, private: Path) -> None:
    from mlebench.preparing.files import place_all

    (public / "sample_submission.csv").write_bytes((raw / "data.csv").read_bytes())
    (private / "test.csv").write_bytes((raw / "data.csv").read_bytes())
    place_all(["a", "b"], raw / "media", public / "media")
