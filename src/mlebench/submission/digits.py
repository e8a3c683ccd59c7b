"""Plain whole numbers straight from the bytes of a text column.

A mask of a large picture is a text of millions of digits. To cut it into words and to convert
each of them costs more than all that is done with the numbers, so numpy reads eight digits at
a time: a word of 64 bits holds them, and three multiplications make a number of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mlebench.submission.words import Words

MOST_DIGITS = 16
BYTES_AT_A_TIME = 128_000  # few enough that what is made of them stays in the cache

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

_BLANK, _ZERO = np.uint8(ord(" ")), np.uint8(ord("0"))


class _Found(NamedTuple):
    """Where numbers begin, and what they are."""

    starts: Integers
    numbers: Integers


def plain_numbers(texts: pa.Array) -> tuple[Integers, Integers] | None:
    """All numbers of a column, one after the other, and how many each cell has.

    None if there is anything else than digits and blanks, or a number of more than
    `MOST_DIGITS` digits.
    """
    data, edges = _content(texts)
    # More than there can be; what is not written to takes no memory.
    numbers = np.empty((len(data) + len(edges)) // 2 + 1, np.int64)
    before = np.zeros(len(edges), np.int64)  # how many numbers there are before each edge
    total = begin = 0
    while begin < len(data):
        stop = _last_gap(data, edges, begin + BYTES_AT_A_TIME)
        inside = slice(*np.searchsorted(edges, [begin, stop], side="right"))
        found = _read(data[begin:stop], edges[inside] - begin) if stop > begin else None
        if found is None:
            return None
        before[inside] = total + np.searchsorted(found.starts, edges[inside] - begin)
        numbers[total : total + len(found.numbers)] = found.numbers
        total += len(found.numbers)
        begin = stop
    return numbers[:total], np.diff(before)


def _content(texts: pa.Array) -> tuple[Bytes, Integers]:
    """The bytes of all cells, and where cells begin and end."""
    _, offsets, content = texts.buffers()
    if not len(texts) or content is None:
        return np.zeros(0, np.uint8), np.zeros(len(texts) + 1, np.int64)
    edges = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(content, np.uint8)[edges[0] : edges[-1]], edges - edges[0]


def _last_gap(data: Bytes, edges: Integers, limit: int) -> int:
    """The last place up to a limit where no number is cut in two."""
    if limit >= len(data):
        return len(data)
    first = limit - MOST_DIGITS - 1
    blanks = np.flatnonzero(data[first:limit] == _BLANK)
    behind_blank = first + int(blanks[-1]) + 1 if len(blanks) else 0
    return max(behind_blank, int(edges[np.searchsorted(edges, limit, side="right") - 1]))


def _read(data: Bytes, edges: Integers) -> _Found | None:
    """The numbers in some bytes; at an edge one may end right before another one begins."""
    # Words that end with the first numbers begin in front of them.
    padded = np.concatenate([np.full(MOST_DIGITS, _BLANK), data])
    is_digit = (padded - _ZERO) < 10
    if np.count_nonzero(is_digit) + np.count_nonzero(padded == _BLANK) < len(padded):
        return None
    own = is_digit[MOST_DIGITS:]
    begins, finishes = own & ~is_digit[MOST_DIGITS - 1 : -1], own.copy()
    finishes[:-1] &= ~own[1:]
    begins[edges[edges < len(data)]] = True
    finishes[edges[edges > 0] - 1] = True
    starts = np.flatnonzero(begins & own)
    ends = np.flatnonzero(finishes & own) + 1
    lengths = ends - starts
    longest = lengths.max(initial=0)
    if longest > MOST_DIGITS:
        return None
    words = np.ndarray((len(padded) - 7,), "<u8", padded, strides=(1,))
    numbers = _from_digits(words[ends + MOST_DIGITS - 8], lengths)
    if longest > 8:
        numbers += 10**8 * _from_digits(words[ends + MOST_DIGITS - 16], lengths - 8)
    return _Found(starts, numbers)


def _from_digits(words: Words, lengths: Integers) -> Integers:
    """The numbers that the last characters of words of eight spell."""
    # In two steps, because shifting by all 64 bits at once is not defined.
    half = (4 * (8 - np.clip(lengths, 0, 8))).astype(np.uint64)
    words &= np.uint64(0x0F0F0F0F0F0F0F0F) << half << half
    # Neighbours are joined: digits to pairs, these to fours and these to all eight.
    for digits, kept in ((1, 0x00FF00FF00FF00FF), (2, 0x0000FFFF0000FFFF), (4, 0xFFFFFFFF)):
        bits = 8 * digits
        words *= np.uint64((10**digits << bits) + 1)
        words >>= np.uint64(bits)
        words &= np.uint64(kept)
    return words.view(np.int64)
