"""Text Normalization, English: how is a written token spoken?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.texts import share_of_equal_texts
from mlebench.preparing.tables import read_csv
from mlebench.preparing.tokens import publish_tokens, read_distinct_sentences
from mlebench.submission import CastText, Submission, parse_answers

SPOKEN = CastText("after")

SUBMISSION = Submission(key="id", columns=(SPOKEN,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    publish_tokens(read_csv(raw / "en_train.csv.zip"), "en", public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    tokens = read_distinct_sentences(raw / "en_train.csv.zip")
    publish_tokens(tokens, "en", public, private, plain_sample=True)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return share_of_equal_texts(parse_answers(SPOKEN, truth), predicted["after"])
