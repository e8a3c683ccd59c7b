"""Movie Review Sentiment Analysis: how does a phrase of a film review feel about the film?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.partitions import partition_by_value, partition_rows
from mlebench.preparing.tables import read_csv, write_csv, write_zipped_csv
from mlebench.submission import Label, Submission

LABELS = (0, 1, 2, 3, 4)
NEUTRAL = 2

SUBMISSION = Submission(
    key="PhraseId", columns=(Label("Sentiment", choices=LABELS, words_are_wrong=True),)
)
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("Sentiment", low=0, high=4, choices=LABELS),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    phrases = read_csv(raw / "train.tsv.zip", sep="\t")
    train, test = partition_rows(phrases, test_size=0.3)
    _write(train, test, public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # The original loses phrases such as null, and shows parts of its test sentences for training.
    phrases = read_csv(raw / "train.tsv.zip", sep="\t", keep_default_na=False)
    train, test = partition_by_value(phrases, by="SentenceId", test_size=0.3)
    _write(train, test, public, private)


def _write(train: pd.DataFrame, test: pd.DataFrame, public: Path, private: Path) -> None:
    write_csv(test, private / "answers.csv")
    write_zipped_csv(train, public / "train.tsv.zip", sep="\t")
    write_zipped_csv(test.drop(columns="Sentiment"), public / "test.tsv.zip", sep="\t")
    write_csv(test[["PhraseId"]].assign(Sentiment=NEUTRAL), public / "sampleSubmission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["Sentiment"], predicted["Sentiment"])
