"""PetFinder.my Pawpularity: how much does a pet's photo appeal?"""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import rmse
from mlebench.preparing.files import place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="Id", columns=(Number("Pawpularity", low=1, high=100),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="Pawpularity"), public / "test.csv")
    guess = np.random.default_rng(0).uniform(1, 100, len(test)).round(2)
    write_csv(test[["Id"]].assign(Pawpularity=guess), public / "sample_submission.csv")
    place_all(train["Id"] + ".jpg", raw / "train", public / "train")
    place_all(test["Id"] + ".jpg", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return rmse(truth["Pawpularity"], predicted["Pawpularity"])
