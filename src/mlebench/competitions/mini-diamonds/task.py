"""Diamond Prices: what does a diamond of this weight and quality cost?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, rmse
from mlebench.preparing.partitions import partition_and_number
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("price", low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_and_number(read_csv(raw / "diamonds.csv.zip"), test_size=1 / 3)
    write_csv(train, public / "train.csv")
    write_csv(test[["id", "price"]], private / "test.csv")
    write_csv(test.drop(columns="price"), public / "test.csv")
    write_csv(test[["id"]].assign(price=0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return rmse(truth["price"], predicted["price"])
