"""Made-up raw data of Text Normalization, Russian."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.words import tokens
from mlebench.preparing.tokens import write_tokens

VOCABULARY = (
    *(("PLAIN", word, word) for word in ("Река", "была", "в", "городе", "NA", "None", "дом")),
    *(("PUNCT", sign, sign) for sign in (".", ",", '"', "—")),
    ("CARDINAL", "12", "двенадцать"),
    ("DATE", "1984 года", "тысяча девятьсот восемьдесят четвертого года"),
    ("LETTERS", "СССР", "с с с р"),
    ("MEASURE", "5 км", "пять километров"),
    ("PLAIN", "Java", "д_trans ж_trans а_trans в_trans а_trans"),
)


def fixture(raw: Path) -> None:
    table = tokens(np.random.default_rng(0), VOCABULARY)
    write_tokens(table, table[:1], "ru", raw)  # nobody reads the test part
