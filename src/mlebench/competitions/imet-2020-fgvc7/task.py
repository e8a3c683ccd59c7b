"""iMet Collection 2020: which attributes does the museum piece have?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.tags import f1_over_tags
from mlebench.preparing.files import place, place_all
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import LabelSet, Submission, parse_answers

ATTRIBUTES = LabelSet("attribute_ids")

SUBMISSION = Submission(key="id", columns=(ATTRIBUTES,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.15)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "answers.csv")
    write_csv(test.assign(attribute_ids="0 1 2"), public / "sample_submission.csv")
    place(raw / "labels.csv", public / "labels.csv")
    place_all(train["id"] + ".png", raw / "train", public / "train")
    place_all(test["id"] + ".png", raw / "train", public / "test")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # What no answer has is not counted against a prediction.
    right = parse_answers(ATTRIBUTES, truth)
    return f1_over_tags(right, predicted["attribute_ids"], unknown_is_free=True)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1_over_tags(parse_answers(ATTRIBUTES, truth), predicted["attribute_ids"])
