"""Made-up raw data of Text Normalization, English."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.words import tokens
from mlebench.preparing.tokens import write_tokens

VOCABULARY = (
    *(("PLAIN", word, word) for word in ("The", "river", "was", "naïve", "NA", "null", "old")),
    *(("PUNCT", sign, sign) for sign in (".", ",", '"', "(")),
    ("CARDINAL", "12", "twelve"),
    ("DATE", "12 May 2010", "the twelfth of may twenty ten"),
    ("LETTERS", "BBC", "b b c"),
    ("MEASURE", "6ft", "six feet"),
    ("MONEY", "$1,500", "one thousand five hundred dollars"),
    ("TIME", "12:47", "twelve forty seven"),
)


def fixture(raw: Path) -> None:
    table = tokens(np.random.default_rng(0), VOCABULARY)
    write_tokens(table, table[:1], "en", raw)  # nobody reads the test part
