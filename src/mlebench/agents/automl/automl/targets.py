"""Which column of a table to learn from holds what is to be predicted."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from .tables import holds_containers

USUAL = re.compile(
    r"(?:target|label|labels|class|y|category|category_?id|class_?id|label_?id)", re.IGNORECASE
)
MANY = 40_000
WORD = re.compile(r"\W|_")


def tokens_of(column: pd.Series) -> tuple[str, set[str]] | None:
    """The separator of texts that list things, and what they list."""
    texts = column.dropna().astype(str)
    for separator in (",", "|", ";", " "):
        if texts.str.contains(separator, regex=False).mean() > 0.01:
            parts = {part.strip() for text in texts.unique() for part in text.split(separator)}
            return separator, parts - {""}
    return None


def target_column(
    table: pd.DataFrame, test: pd.DataFrame, outputs: Sequence[str], sample: pd.DataFrame
) -> str | None:
    """The column with the classes that outputs are called by, or the likeliest new one."""
    new = [str(name) for name in table.columns if name not in test.columns]
    if len(outputs) > 1:
        return _of_classes(table, new, {str(name) for name in outputs})
    filled = sample[outputs[0]]
    fitting = [name for name in new if _fits(table[name], filled)]
    if len(new) == 1:
        return fitting[0] if fitting else None
    wanted = WORD.sub("", outputs[0].lower())
    for name in fitting:
        if WORD.sub("", name.lower()) in (wanted, f"{wanted}id"):
            return name
    usual = [name for name in fitting if USUAL.fullmatch(name)]
    return usual[0] if usual else None


def _of_classes(table: pd.DataFrame, new: Sequence[str], names: set[str]) -> str | None:
    """The column whose values, or what they list, are names of outputs."""
    for name in new:
        if table[name].dtype.kind in "fc" or holds_containers(table[name]):
            continue
        values = {str(value) for value in table[name].dropna().unique()[:MANY]}
        if len(values) > 1 and len(values & names) >= 0.98 * len(values):
            return name
        tokens = tokens_of(table[name])
        if tokens and len(tokens[1] & names) >= 0.9 * len(tokens[1]):
            return name
    return None


def _fits(column: pd.Series, filled: pd.Series) -> bool:
    """Whether a sample could have been filled with values of a column, or with lists of them."""
    known = column.dropna()
    if known.empty or holds_containers(known):
        return False
    if filled.dtype.kind in "iufb":
        return True
    words = filled.dropna().astype(str).head(200).str.split()
    if words.empty:
        return True
    texts = set(known.astype(str).unique())
    if set(filled.dropna().astype(str).head(200)) & texts:
        return True
    listed = {word for row in words for word in row}
    parts = tokens_of(known)
    return bool(listed) and len(listed & (texts | (parts[1] if parts else set()))) >= 0.9 * len(
        listed
    )
