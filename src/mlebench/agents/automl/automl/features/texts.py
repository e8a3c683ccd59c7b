"""Words and signs of texts, as sparse counts."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .columns import columns_of

WORD_OR_MARK = r"\w+|[^\w\s]"
ESCAPED = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[nrt\"'\\])")
MOST_WORDS, MOST_SIGNS = 200_000, 300_000
NEARLY_ALL = 0.9

Unit = Literal["words", "signs", "stems"]


def decoded(text: str) -> str:
    """A text without the escapes of whoever stored it: those of Python and those of HTML."""
    for _ in range(2):
        text = ESCAPED.sub(_unescaped, text)
    return html.unescape(text).replace("\xa0", " ").strip()


def decoded_all(texts: Sequence[str]) -> list[str]:
    """The texts of a column decoded, and out of their quotes where nearly all are in some."""
    plain = [decoded(text) for text in texts]
    known = [text for text in plain if text]
    if not known or sum(map(_is_quoted, known)) < NEARLY_ALL * len(known):
        return plain
    return [text[1:-1] if _is_quoted(text) else text for text in plain]


def _is_quoted(text: str) -> bool:
    return len(text) > 1 and text[0] == text[-1] == '"'


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(0)[1:]
    if code[0] in "xu":
        return chr(int(code[1:], 16))
    return {"n": "\n", "r": "\n", "t": " "}.get(code, code)


def text_of_rows(train: Any, test: Any) -> dict[str, list[str]]:
    """The texts of all rows by column, those of the rows to predict last."""
    return {
        column.name: decoded_all(column.texts)
        for column in columns_of(train, test)
        if column.holds in ("texts", "lists")
    }


def counted(
    texts: Sequence[str], unit: Unit, longest: int, *, fewest: int, is_weighted: bool
) -> Any:
    """How often words, or groups of signs, are in texts.

    Args:
        texts: All of them.
        unit: ``words`` with punctuation, or ``signs`` of the alphabet.
        longest: How many of them make a group at most.
        fewest: In how many texts a group has to be.
        is_weighted: Whether rare groups count more and texts are of one length.
    """
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    options: dict[str, Any] = {"min_df": min(fewest, max(1, len(texts) // 50)), "dtype": np.float32}
    if unit == "words":
        options |= {
            "token_pattern": WORD_OR_MARK, "ngram_range": (1, longest), "max_features": MOST_WORDS,
        }  # fmt: skip
    elif unit == "stems":
        options |= {
            "tokenizer": stems, "token_pattern": None, "ngram_range": (1, longest),
            "max_features": MOST_WORDS,
        }  # fmt: skip
    else:
        options |= {
            "analyzer": "char", "ngram_range": (1 if longest <= 4 else 2, longest),
            "max_features": MOST_SIGNS, "lowercase": longest <= 5,
        }  # fmt: skip
    if not is_weighted:
        return CountVectorizer(**options).fit_transform(texts)
    options |= {"sublinear_tf": True, "strip_accents": "unicode"}
    return TfidfVectorizer(**options).fit_transform(texts)


def stems(text: str) -> list[str]:
    """The words of a text without common endings of English."""
    return [_stem(word) for word in re.findall(r"\w+", text.lower())]


def _stem(word: str) -> str:
    for ending in ("ingly", "edly", "ing", "ies", "ed", "ly", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def meanings(matrix: Any, size: int, seed: int) -> Any:
    """The main directions of counts, dense: which words go with which."""
    from sklearn.decomposition import TruncatedSVD

    size = min(size, min(matrix.shape) - 1)
    if size < 2:
        return np.zeros((matrix.shape[0], 0), dtype=np.float32)
    return TruncatedSVD(size, random_state=seed).fit_transform(matrix).astype(np.float32)
