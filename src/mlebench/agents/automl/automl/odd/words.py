"""Texts of which nothing is known in tables: the one that is most like all others."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ..forms import odd_form
from .judging import Likeness, likeness
from .looking import Answer, Look

CANDIDATES, JUDGED = 60, 150
SEED = 0


def answers(look: Look) -> Iterator[Answer]:
    """The same text for all rows."""
    if len(look.outputs) != 1 or not any(
        word in look.description for word in ("levenshtein", "edit distance")
    ):
        return
    output = look.outputs[0]
    for _, table in look.tables.items():
        if output not in table.columns or look.key not in table.columns or len(table) < 6:
            continue
        if odd_form(table, look.sample[[look.key]], output, None) is None:
            continue
        yield _middle(look, table[output].dropna().astype(str), output)


def _middle(look: Look, told: pd.Series, output: str) -> Answer:
    alike = likeness(look.description)
    mixed = told.sample(min(len(told), 4 * JUDGED), random_state=SEED)
    halves = mixed.iloc[::2], mixed.iloc[1::2]
    score = 0.0
    for known, judged in (halves, halves[::-1]):
        score += _mean(judged, best_text(known, alike), alike) / 2
    usual = look.sample[output].mode().iloc[0]
    text = best_text(mixed, alike)
    return Answer(
        "the text most like all others", score, _mean(mixed, usual, alike),
        look.filled(**{output: text}),
    )  # fmt: skip


def best_text(texts: pd.Series, alike: Likeness) -> str:
    """The text that is most like the others, on average."""
    counted = texts.value_counts()
    candidates = [*counted.index[: CANDIDATES // 2], *texts.drop_duplicates()[: CANDIDATES // 2]]
    candidates += sorted(texts.unique(), key=len)[: CANDIDATES // 6]
    return str(max(dict.fromkeys(candidates), key=lambda text: _mean(texts, text, alike)))


def _mean(texts: pd.Series, told: str, alike: Likeness) -> float:
    judged = texts.head(JUDGED)
    return sum(alike(truth, told) for truth in judged) / max(len(judged), 1)
