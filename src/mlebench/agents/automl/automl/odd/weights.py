"""The part of a text whose words were mostly chosen in other texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pandas as pd

from .judging import Likeness

THRESHOLDS = (0.2, 0.3, 0.4, 0.5)
SMOOTHING = 2.0
TRIED_ON = 1000


class Chooser:
    """Chooses neighbouring words, for each kind of row in the way that does best."""

    def __init__(self, source: str, target: str, kind: str, alike: Likeness) -> None:
        """Know the columns and the score."""
        self._source, self._target, self._kind, self._alike = source, target, kind, alike
        self._shares: dict[str, dict[str, float]] = {}
        self._cut: dict[str, float | None] = {}

    def learn(self, known: pd.DataFrame) -> Chooser:
        """Count words, and find out for each kind whether choosing is better than taking all."""
        for kind, rows in known.groupby(self._kind):
            name = str(kind)
            self._shares[name] = self._counted(rows)
            tried = rows.head(TRIED_ON)
            scores: dict[float | None, float] = {None: self._score(tried, name, None)}
            scores |= {cut: self._score(tried, name, cut) for cut in THRESHOLDS}
            self._cut[name] = max(scores, key=lambda cut: scores[cut])
        return self

    def tell(self, asked: pd.DataFrame) -> Sequence[str]:
        """The part of each text."""
        pairs = zip(asked[self._source], asked[self._kind], strict=True)
        return [self._part(text, kind, self._cut.get(kind)) for text, kind in pairs]

    def _counted(self, rows: pd.DataFrame) -> dict[str, float]:
        """How often a word is chosen where it stands."""
        there: Counter[str] = Counter()
        chosen: Counter[str] = Counter()
        for text, part in zip(rows[self._source], rows[self._target], strict=True):
            there.update(words := set(text.lower().split()))
            chosen.update(words & set(part.lower().split()))
        usual = sum(chosen.values()) / max(sum(there.values()), 1)
        shares = {
            word: (chosen[word] + SMOOTHING * usual) / (count + SMOOTHING)
            for word, count in there.items()
        }
        return shares | {"": usual}

    def _score(self, rows: pd.DataFrame, kind: str, cut: float | None) -> float:
        pairs = zip(rows[self._source], rows[self._target], strict=True)
        return sum(self._alike(part, self._part(text, kind, cut)) for text, part in pairs)

    def _part(self, text: str, kind: str, cut: float | None) -> str:
        words = text.split()
        if cut is None or not words:
            return text
        shares = self._shares.get(kind, {"": 0.5})
        best, begin, end = -1.0, 0, len(words)
        total, start = 0.0, 0
        for place, word in enumerate(words):
            if total <= 0:
                total, start = 0.0, place
            total += shares.get(word.lower(), shares[""]) - cut
            if total > best:
                best, begin, end = total, start, place + 1
        return " ".join(words[begin:end])
