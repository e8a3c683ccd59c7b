"""Sentences cut into tokens, each as it is written and as it is spoken."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, write_csv, write_zipped_csv

TRAIN = ("sentence_id", "token_id", "class", "before", "after")
TEST = ("sentence_id", "token_id", "before")
QUOTED: dict[str, Any] = {"quoting": csv.QUOTE_NONNUMERIC}


def read_distinct_sentences(path: Path) -> pd.DataFrame:
    """A table of tokens without the sentences that have occurred before.

    ``null`` and the like are tokens as well, not missing values.
    """
    tokens = read_csv(path, keep_default_na=False, dtype={"before": str, "after": str})
    sentences = tokens.groupby("sentence_id", sort=False)["before"].agg("\n".join)
    return tokens[~tokens["sentence_id"].isin(sentences.index[sentences.duplicated()])]


def publish_tokens(
    tokens: pd.DataFrame, language: str, public: Path, private: Path, *, plain_sample: bool = False
) -> None:
    """Hold out a tenth of the sentences and write all tables.

    Args:
        tokens: Those of all sentences, in order.
        language: What the names of the published tables begin with.
        public: Where to put tables, each in a zip.
        private: Where to put the answers and the sample submission.
        plain_sample: Publish the sample submission as a plain file, too.
    """
    parts = partition_by_value(tokens, by="sentence_id", test_size=0.1)
    train, test = (_renumbered(part) for part in parts)
    sample = write_tokens(train, test, language, public)
    write_csv(sample.assign(after=test["after"]), private / "answers.csv", **QUOTED)
    write_csv(sample, private / "sample_submission.csv", **QUOTED)
    if plain_sample:
        write_csv(sample, public / "sample_submission.csv")


def write_tokens(
    train: pd.DataFrame, test: pd.DataFrame, language: str, folder: Path
) -> pd.DataFrame:
    """The three archives of a language; returns the sample submission, which changes no token."""
    numbers = test[["sentence_id", "token_id"]].astype(str)
    ids = (numbers["sentence_id"] + "_" + numbers["token_id"]).to_frame("id")
    sample = ids.assign(after=test["before"])
    write_zipped_csv(train[[*TRAIN]], folder / f"{language}_train.csv.zip", **QUOTED)
    write_zipped_csv(test[[*TEST]], folder / f"{language}_test_2.csv.zip", **QUOTED)
    write_zipped_csv(sample, folder / f"{language}_sample_submission_2.csv.zip", **QUOTED)
    return sample


def _renumbered(tokens: pd.DataFrame) -> pd.DataFrame:
    """Sentences counted from 0 in the order in which they come."""
    return tokens.assign(sentence_id=pd.factorize(tokens["sentence_id"])[0])
