"""Made-up raw data of Text Normalization, English."""

from pathlib import Path

from mlebench.fixtures.tokens import write_tokens

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
    write_tokens(raw, "en", VOCABULARY)
