"""Molecular Translation: which molecule does an old drawing show?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.texts import mean_levenshtein
from mlebench.preparing.files import place, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CastText, Submission, parse_answers

WATER = "InChI=1S/H2O/h1H2"
EXTRA = "extra_approved_InChIs.csv"
INCHI = CastText("InChI")

SUBMISSION = Submission(key="image_id", columns=(INCHI,))
# To the original an empty cell is the text nan.
SUBMISSION_V2 = replace(SUBMISSION, columns=(CastText("InChI", missing=""),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train_labels.csv"), test_size=0.2)
    write_csv(train, public / "train_labels.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(InChI=WATER), public / "sample_submission.csv")
    place(raw / EXTRA, public / EXTRA)
    place_all(drawings(train["image_id"]), raw / "train", public / "train")
    place_all(drawings(test["image_id"]), raw / "train", public / "test")


def drawings(ids: pd.Series) -> list[str]:
    """Where drawings lie: the first three characters of an id are folders."""
    return [f"{name[0]}/{name[1]}/{name[2]}/{name}.png" for name in ids]


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_levenshtein(parse_answers(INCHI, truth), predicted["InChI"])
