"""Facebook Recruiting III: with which keywords would the author tag this question?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.tags import f1_over_tags
from mlebench.preparing.archives import open_member
from mlebench.preparing.partitions import partition_by_value, partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import LabelSet, Submission, parse_answers

FREQUENT = "javascript c# python php java"
TAGS = LabelSet("Tags")

SUBMISSION = Submission(key="Id", columns=(TAGS,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(_read_questions(raw), test_size=0.1)
    _write(train, test, public, private)
    write_csv(test.assign(Tags=FREQUENT), public / "sample_submission.csv")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    questions = _read_questions(raw)
    # A question that was asked twice must not be on both sides.
    alike = pd.util.hash_pandas_object(questions[["Title", "Body"]], index=False)
    train, test = partition_by_value(questions.assign(alike=alike), by="alike", test_size=0.1)
    train, test = train.drop(columns="alike"), test.drop(columns="alike")
    _write(train, test, public, private)
    write_csv(test[["Id"]].assign(Tags=FREQUENT), public / "sample_submission.csv")


def _read_questions(raw: Path) -> pd.DataFrame:
    with open_member(raw / "Train.zip", "Train.csv") as file:
        return read_csv(file, dtype={"Id": str, "Tags": str})


def _write(train: pd.DataFrame, test: pd.DataFrame, public: Path, private: Path) -> None:
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="Tags"), public / "test.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # What no answer has is not counted against a prediction.
    return f1_over_tags(parse_answers(TAGS, truth), predicted["Tags"], unknown_is_free=True)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return f1_over_tags(parse_answers(TAGS, truth), predicted["Tags"])
