"""Texts that are a part of another one, or that one in other words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import pandas as pd

from ..forms import text_within
from .judging import likeness
from .looking import Answer, Look
from .questions import Reader
from .weights import Chooser

SEED = 0
PARTS = 2
FEW = 30
MOST_JUDGED = 3000
MOST_LEARNED = 2_000_000
Rows = pd.DataFrame


def answers(look: Look) -> Iterator[Answer]:
    """The other text, what was most often said for it, or its most telling part."""
    found = look.train_and_test()
    if found is None or len(look.outputs) != 1:
        return
    train, test = found
    for target in _targets(look, train, test):
        source = text_within(train, test, target)
        if source is not None:
            known = train[train[target].notna() & train[source].notna()].head(MOST_LEARNED)
            yield from _tried(look, _as_text(known), _as_text(test), source, target)
            return


def _targets(look: Look, train: Rows, test: Rows) -> list[str]:
    """Columns that may hold the answers: of the sample's name, else those that are new."""
    output = look.outputs[0]
    if output in train.columns:
        return [output]
    return [str(name) for name in train.columns if name not in test.columns]


def _as_text(table: Rows) -> Rows:
    texts = table.reset_index(drop=True)
    return texts.assign(
        **{
            str(name): texts[name].where(texts[name].notna(), "").astype(str)
            for name in texts.columns
        }
    )


def _tried(look: Look, known: Rows, test: Rows, source: str, target: str) -> Iterator[Answer]:
    alike = likeness(look.description)
    ways: dict[str, Way] = {
        "the whole text": Copier(source, target),
        "what was said most often": Lookup(source, target),
    }
    is_long = (known[source].str.len() > 2 * known[target].str.len()).mean() > 0.5
    if is_long and (question := _question(known, test, source, target)) is not None:
        ways["the part near words of the question"] = Reader(source, target, question, alike)
    elif (kind := _kind(known, test, source, target)) is not None:
        ways["the most telling part"] = Chooser(source, target, kind, alike)
    usual = look.sample[look.outputs[0]]
    part_of = np.random.default_rng(SEED).integers(0, PARTS, len(known))
    for name, way in ways.items():
        scores, plain = [], []
        for part in range(PARTS):
            judged = known[part_of == part].head(MOST_JUDGED)
            if not len(judged) or not (part_of != part).any():
                return
            told = way.learn(known[part_of != part]).tell(judged)
            truth = judged[target]
            scores += [alike(one, other) for one, other in zip(truth, told, strict=True)]
            plain += [alike(one, usual.mode().iloc[0]) for one in truth]
        table = look.filled(**{look.outputs[0]: list(way.learn(known).tell(test))})
        yield Answer(name, float(np.mean(scores)), float(np.mean(plain)), table)


def _kind(known: Rows, test: Rows, source: str, target: str) -> str | None:
    """A column of few values beside the text."""
    for name in test.columns:
        if name not in (source, target) and name in known and 1 < known[name].nunique() <= FEW:
            return str(name)
    return None


def _question(known: Rows, test: Rows, source: str, target: str) -> str | None:
    """Another column of texts, of which there are many."""
    for name in test.columns:
        if name in (source, target) or name not in known.columns:
            continue
        if known[name].str.contains(" ").mean() > 0.5 and known[name].nunique() > 2:
            return str(name)
    return None


class Way(Protocol):
    """Learns what is said for texts, and tells it for others."""

    def learn(self, known: Rows) -> Way:
        """Take in what was said."""

    def tell(self, asked: Rows) -> Sequence[str]:
        """What to say for others."""


class Copier:
    """Says the text itself."""

    def __init__(self, source: str, target: str) -> None:
        """Know which text."""
        self._source = source

    def learn(self, known: Rows) -> Copier:
        """There is nothing to learn."""
        return self

    def tell(self, asked: Rows) -> Sequence[str]:
        """The texts."""
        return asked[self._source].tolist()


class Lookup:
    """Says what was said most often for the same text, else the text itself."""

    def __init__(self, source: str, target: str) -> None:
        """Know what is said for what."""
        self._source, self._target = source, target
        self._said: dict[str, str] = {}

    def learn(self, known: Rows) -> Lookup:
        """Count what is said."""
        counted = known.groupby([self._source, self._target]).size().sort_values()
        self._said = {str(one): str(other) for one, other in counted.index}
        return self

    def tell(self, asked: Rows) -> Sequence[str]:
        """What is said for each."""
        return [self._said.get(text, text) for text in asked[self._source]]
