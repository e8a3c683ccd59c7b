"""Herbarium 2021: which of 65,000 species is the pressed plant on the sheet?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import f1
from mlebench.preparing.coco import hold_out_of_each, pictures_by_category, publish_renumbered
from mlebench.preparing.tables import read_json, write_csv
from mlebench.submission import CutLabel, Label, Submission

SUBMISSION = Submission(key="Id", columns=(CutLabel("Predicted"),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("Predicted"),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    metadata = read_json(raw / "train" / "metadata.json")
    train, test = hold_out_of_each(pictures_by_category(metadata), test_size=0.2)
    answers = publish_renumbered(metadata, train, test, raw / "train", public)
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(Predicted=0), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1(truth["Predicted"], predicted["Predicted"], average="macro")
