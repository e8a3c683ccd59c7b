"""Tweet Sentiment Extraction: which words of a tweet carry its sentiment?"""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.texts import mean_word_jaccard
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CastText, Submission, parse_answers, refuse

PHRASE = CastText("selected_text", missing="")


@dataclass(frozen=True)
class WordsForEmptyTweets:
    """A tweet without words needs a phrase with words: two empty sides have no Jaccard score."""

    def check(self, predicted: pd.DataFrame, public: pd.DataFrame) -> None:
        """Refuse the whole submission, as the original gives it no score."""
        phrases, tweets = predicted[PHRASE.name], public["text"].astype(object).fillna("")
        empty = [not f"{phrase} {tweet}".split() for phrase, tweet in zip(phrases, tweets)]
        if any(empty):
            message = "the tweet is empty, so that a phrase without words cannot be scored"
            refuse("no_words", message, PHRASE.name, phrases, empty)

    def describe(self) -> str:
        """The rule in a sentence."""
        return f"`{PHRASE.name}` must not be empty where the tweet is."

    def adjust(self, example: pd.DataFrame) -> pd.DataFrame:
        """Random phrases have words."""
        return example


SUBMISSION = Submission(
    key="textID", columns=(PHRASE,), rules=(WordsForEmptyTweets(),), public=("text",)
)
SUBMISSION_V2 = replace(SUBMISSION, rules=(), public=())


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(read_csv(raw / "train.csv"), public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(read_csv(raw / "train.csv").dropna(subset=["text"]), public, private)


def _prepare(tweets: pd.DataFrame, public: Path, private: Path) -> None:
    train, test = partition_rows(tweets, test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns="selected_text"), public / "test.csv")
    write_csv(test[["textID"]].assign(selected_text=""), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_word_jaccard(parse_answers(PHRASE, truth), predicted["selected_text"])
