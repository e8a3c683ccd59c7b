"""The part of a long text that stands near the words of a question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from .judging import Likeness

NEAR = 12
LENGTHS = (1, 2, 3, 4, 6)
TRIED_ON = 100
STRIPPED = " \t\n.,;:!?()[]\"'“”‘’।"
BEGINNING = 4  # signs by which forms of a word are alike


class Reader:
    """Looks for the words of a question, and says those beside them."""

    def __init__(self, source: str, target: str, question: str, alike: Likeness) -> None:
        """Know the columns and the score."""
        self._source, self._target, self._question = source, target, question
        self._alike = alike
        self._asking: Counter[str] = Counter()
        self._length, self._is_after = 2, True

    def learn(self, known: pd.DataFrame) -> Reader:
        """Find out how many words are best said, and on which side."""
        for text in known[self._question]:
            self._asking.update({_beginning(word) for word in text.split()})
        tried = known.head(TRIED_ON)
        best = -np.inf
        for length in LENGTHS:
            for is_after in (True, False):
                self_length, self_side = self._length, self._is_after
                self._length, self._is_after = length, is_after
                pairs = zip(tried[self._target], self.tell(tried), strict=True)
                score = float(np.mean([self._alike(truth, told) for truth, told in pairs]))
                if score > best:
                    best = score
                else:
                    self._length, self._is_after = self_length, self_side
        return self

    def tell(self, asked: pd.DataFrame) -> Sequence[str]:
        """The part of each text."""
        pairs = zip(asked[self._source], asked[self._question], strict=True)
        return [self._part(text, question) for text, question in pairs]

    def _part(self, text: str, question: str) -> str:
        """Words beside the place that has most, and rarest, words of the question near it."""
        places = [match.span() for match in re.finditer(r"\S+", text)]
        if not places:
            return text
        beginnings = [_beginning(text[begin:end]) for begin, end in places]
        wanted = {_beginning(word) for word in question.split()} - {""}
        rarity = {word: 1.0 / (1 + self._asking[word]) for word in wanted}
        hits = np.array([rarity.get(word, 0.0) for word in beginnings])
        if not hits.any():
            return text[places[0][0] : places[min(self._length, len(places)) - 1][1]]
        around = np.convolve(hits, np.ones(2 * NEAR + 1))[NEAR : NEAR + len(hits)]
        middle = int(np.argmax(around + hits))
        order = range(middle, len(places)) if self._is_after else range(middle, -1, -1)
        chosen: list[int] = []
        for place in order:
            if hits[place] and chosen:
                break
            if not hits[place]:
                chosen.append(place)
            if len(chosen) == self._length:
                break
        chosen = sorted(chosen) or [middle]
        return text[places[chosen[0]][0] : places[chosen[-1]][1]].strip(STRIPPED)


def _beginning(word: str) -> str:
    return word.strip(STRIPPED).lower()[: BEGINNING + 2]
