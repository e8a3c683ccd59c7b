"""Edit distances of many pairs of texts at once.

What equal beginnings and ends leave of two texts is compared bit by bit, as by `levenshtein`,
but each step is taken for thousands of pairs together. Texts of more than 64 characters take
several words of 64 bits, which hand on how the distance changes from one to the next
(Hyyrö, 2003).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

BITS = 64
CELLS_AT_A_TIME = 500_000  # as many as a processor keeps close at hand

Characters = npt.NDArray[np.unsignedinteger[Any]]
Numbers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.intp]
Words = npt.NDArray[np.uint64]

_NONE, _ONE, _LAST_BIT = np.uint64(0), np.uint64(1), np.uint64(BITS - 1)


class Spans(NamedTuple):
    """Where texts lie among all characters."""

    starts: Numbers
    lengths: Numbers

    def take(self, rows: Rows) -> Spans:
        """Some of the texts."""
        return Spans(self.starts[rows], self.lengths[rows])


@dataclass(frozen=True)
class Pairs:
    """Pairs of texts without what they have in common at both ends.

    Attributes:
        characters: Those of all texts, one after the other, as numbers from 0 on.
        alphabet: How many different ones there are.
        longer: The longer text of each pair.
        shorter: The other one.
    """

    characters: Characters
    alphabet: int
    longer: Spans
    shorter: Spans

    @classmethod
    def of(cls, first: Sequence[str], second: Sequence[str]) -> Pairs:
        """The pairs of two lists of texts."""
        texts = [*first, *second]
        characters, alphabet = _numbered("".join(texts))
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        starts = np.cumsum(lengths) - lengths
        one = Spans(starts[: len(first)], lengths[: len(first)])
        other = Spans(starts[len(first) :], lengths[len(first) :])
        one, other = _trimmed(characters, one, other)
        swap = one.lengths < other.lengths
        longer, shorter = (
            Spans(*(np.where(choice, b, a) for a, b in zip(one, other, strict=True)))
            for choice in (swap, ~swap)
        )
        return cls(characters, alphabet, longer, shorter)

    @property
    def words(self) -> Numbers:
        """How many words it takes to have a bit for each character of the longer text."""
        return -(-self.longer.lengths // BITS)

    def texts(self, row: int) -> tuple[list[int], list[int]]:
        """Both texts of a pair."""
        longer, shorter = (
            self.characters[side.starts[row] :][: side.lengths[row]].tolist()
            for side in (self.longer, self.shorter)
        )
        return longer, shorter

    def portions(self) -> Iterator[Rows]:
        """The pairs of which something is left on both sides, as many as go together.

        Those of a portion take equally many words each; their shorter texts grow longer.
        """
        words, rows = self.words, np.flatnonzero(self.shorter.lengths)
        rows = rows[np.lexsort([self.shorter.lengths[rows], words[rows]])]
        for count in np.unique(words[rows]).tolist():
            group = rows[words[rows] == count]
            size = max(1, CELLS_AT_A_TIME // (count * self.alphabet))
            yield from (group[start : start + size] for start in range(0, len(group), size))

    def distances(self, portion: Rows) -> Numbers:
        """How many characters must be added, removed or replaced in each pair of a portion."""
        longer, shorter = self.longer.take(portion), self.shorter.take(portion)
        places = self._places(longer)
        shape = len(places), len(portion)
        grows, shrinks = np.full(shape, ~_NONE), np.zeros(shape, np.uint64)  # from top to bottom
        distances = longer.lengths.copy()
        last = ((longer.lengths - 1) % BITS).astype(np.uint64)
        own_places = np.arange(len(portion)) * self.alphabet
        unfinished = np.searchsorted(shorter.lengths, np.arange(shorter.lengths[-1]), "right")
        for step, begin in enumerate(unfinished.tolist()):
            here = slice(begin, None)
            items = own_places[here] + self.characters[shorter.starts[here] + step]
            growth: Words | np.uint64 = _ONE  # the top row grows with every column
            shrinkage: Words | np.uint64 = _NONE
            for word, where in enumerate(places):
                up, down = grows[word, here], shrinks[word, here]
                equal = where.take(items) | shrinkage
                # Along the diagonal the distance stays; the sum carries this down a run of equals.
                stays = (((equal & up) + up) ^ up) | equal | down
                grows_across, shrinks_across = down | ~(stays | up), up & stays
                below = grows_across << _ONE | growth
                grows[word, here] = (shrinks_across << _ONE | shrinkage) | ~(stays | below)
                shrinks[word, here] = below & stays
                growth, shrinkage = grows_across >> _LAST_BIT, shrinks_across >> _LAST_BIT
            distances[here] += (grows_across >> last[here] & _ONE).astype(np.int64)
            distances[here] -= (shrinks_across >> last[here] & _ONE).astype(np.int64)
        return distances

    def _places(self, texts: Spans) -> Words:
        """For each word, text and character of the alphabet the bits of its places.

        Bits beyond the end of a text are of no consequence.
        """
        words = -(-int(texts.lengths.max()) // BITS)
        places = np.zeros((words, len(texts.starts) * self.alphabet), np.uint64)
        own_places = np.arange(len(texts.starts)) * self.alphabet
        for place in range(int(texts.lengths.max())):
            items = own_places + self.characters.take(texts.starts + place, mode="clip")
            places[place // BITS, items] |= _ONE << np.uint64(place % BITS)
        return places


def _numbered(text: str) -> tuple[Characters, int]:
    """The characters of a text, numbered, and how many different ones there are."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.intp)
    occurs = np.zeros(int(codes.max(initial=0)) + 1, bool)
    occurs[codes] = True
    numbers = (np.cumsum(occurs) - 1).astype(np.min_scalar_type(int(occurs.sum())))
    return numbers[codes], int(occurs.sum())


def _trimmed(characters: Characters, first: Spans, second: Spans) -> tuple[Spans, Spans]:
    """Texts without equal beginnings and ends."""
    most = np.minimum(first.lengths, second.lengths)
    front, _ = _equal_ends(characters, first.starts, second.starts, most)
    one_end, other_end = (side.starts + side.lengths - most for side in (first, second))
    _, back = _equal_ends(characters, one_end, other_end, most)
    back = np.minimum(back, most - front)
    one, other = (
        Spans(side.starts + front, side.lengths - front - back) for side in (first, second)
    )
    return one, other


def _equal_ends(
    characters: Characters, first: Numbers, second: Numbers, lengths: Numbers
) -> tuple[Numbers, Numbers]:
    """How many characters two texts of the same length have in common, in front and behind."""
    ends = np.cumsum(lengths)
    begins = ends - lengths
    here = np.arange(lengths.sum()) + np.repeat(first - begins, lengths)
    there = here + np.repeat(second - first, lengths)
    # One more at either end, where every search is over.
    differ = np.flatnonzero(characters[here] != characters[there])
    differ = np.concatenate([[-1], differ, [len(here)]])
    front = np.minimum(differ[np.searchsorted(differ, begins)], ends) - begins
    back = ends - 1 - np.maximum(differ[np.searchsorted(differ, ends) - 1], begins - 1)
    return front, back
