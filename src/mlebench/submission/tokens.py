"""Cells that hold several values, split and converted a whole column at a time.

Tokens mean what Python's ``split``, ``int`` and ``float`` make of them. Arrow and numpy do the
usual ones, columns with anything unusual among them (signs, underscores, digits of other
scripts) are left to Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mlebench.submission.digits import plain_numbers

LARGEST = 2**62  # beyond any size that is compared with it

# What Python takes for white space, apart from the blank.
OTHER_SPACE = "[\t-\r\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"

Mask = npt.NDArray[np.bool_]


class Tokens(NamedTuple):
    """All tokens of a column, one after the other, and how many each cell has."""

    flat: pa.Array
    counts: npt.NDArray[np.int64]

    @property
    def cells(self) -> npt.NDArray[np.int64]:
        """For each token the position of its cell."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def cells_with(self, bad: Mask) -> Mask:
        """The cells in which some token is marked."""
        found = np.zeros(len(self.counts), bool)
        found[self.cells[bad]] = True
        return found

    def as_lists(self, index: pd.Index[Any]) -> pd.Series[Any]:
        """A column with each cell's tokens as a list; they stay in Arrow's memory."""
        ends = np.cumsum(self.counts)
        lists = pa.LargeListArray.from_arrays(np.concatenate([[0], ends]), self.flat)
        return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([lists])), index=index)


class Numbers(NamedTuple):
    """All whole numbers of a column, one after the other, and how many each cell has."""

    flat: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    bad: Mask
    """The cells in which something is no number."""


def split_on_space(texts: pd.Series[Any]) -> Tokens:
    """Split at white space of any kind and length."""
    return _split_on_space(_as_arrow(texts))


def _split_on_space(cells: pa.Array) -> Tokens:
    # Arrow can split at white space itself, but looks beyond the end of the last text: what
    # lies in the memory there may turn a blank at the end into a token.
    if not _is_plain(cells):
        cells = pc.replace_substring_regex(cells, OTHER_SPACE, " ")
    tokens = _flatten(pc.split_pattern(cells, " "))
    return _select(tokens, pc.not_equal(tokens.flat, "").to_numpy(zero_copy_only=False))


def split_on_blank(texts: pd.Series[Any], *, blank_is_nothing: bool = False) -> Tokens:
    """Split at every single blank, so that two in a row have an empty token between them.

    Args:
        texts: The cells.
        blank_is_nothing: A cell of nothing but white space has no tokens.
    """
    cells = _as_arrow(texts)
    tokens = _flatten(pc.split_pattern(cells, " "))
    if not blank_is_nothing:
        return tokens
    is_blank = pc.equal(pc.utf8_trim_whitespace(cells), "").to_numpy(zero_copy_only=False)
    return _select(tokens, ~is_blank[tokens.cells])


def split_numbers(texts: pd.Series[Any]) -> Numbers:
    """Split at white space into whole numbers, cut at `LARGEST`; whoever gets them may change them.

    An empty cell has none.
    """
    cells = _as_arrow(texts)
    if (plain := plain_numbers(cells)) is not None:
        return Numbers(*plain, np.zeros(len(cells), bool))
    tokens = _split_on_space(cells)
    numbers, bad = whole_numbers(tokens.flat)
    return Numbers(numbers.copy(), tokens.counts, tokens.cells_with(bad))


def whole_numbers(flat: pa.Array) -> tuple[npt.NDArray[np.int64], Mask]:
    """The numbers behind tokens, cut at `LARGEST`, and which tokens are none."""
    if not _any_match(flat, "[^0-9]") and not _any_match(flat, "^$|.{19}"):
        return flat.cast(pa.int64()).to_numpy(), np.zeros(len(flat), bool)
    return _convert(flat, lambda token: min(max(int(token), -LARGEST), LARGEST), np.int64)


def floats(flat: pa.Array) -> tuple[npt.NDArray[np.float64], Mask]:
    """The numbers behind tokens, and which tokens are none."""
    if not _any_match(flat, "[^0-9.eE-]"):
        try:
            return flat.cast(pa.float64()).to_numpy(), np.zeros(len(flat), bool)
        except pa.ArrowInvalid:
            pass  # Python tells which ones are no numbers
    return _convert(flat, float, np.float64)


def ragged(values: npt.NDArray[Any], counts: npt.NDArray[np.int64]) -> list[npt.NDArray[Any]]:
    """Values that stand one after the other, as one array for each cell."""
    ends = np.cumsum(counts)
    starts = ends - counts
    return [values[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def as_objects(values: list[Any], index: pd.Index[Any]) -> pd.Series[Any]:
    """A column whose cells are arrays or other objects."""
    cells = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        cells[position] = value
    return pd.Series(cells, index=index)


def token_lists(tokens: Tokens, index: pd.Index[Any], most: int | None) -> pd.Series[Any]:
    """A column whose cells are lists of tokens, in Arrow's memory; the first few of each.

    Python lists of Python texts would take seconds where there are millions of tokens.
    """
    offsets = np.concatenate([[0], np.cumsum(tokens.counts)])
    lists = pa.LargeListArray.from_arrays(pa.array(offsets), tokens.flat)
    if most is not None:
        lists = pc.list_slice(lists, 0, most)
    return pd.Series(pd.arrays.ArrowExtensionArray(lists), index=index)


def _as_arrow(texts: pd.Series[Any]) -> pa.Array:
    """The cells in one piece of Arrow's memory; what is missing is empty."""
    if not isinstance(texts.dtype, pd.ArrowDtype):
        return pa.array(texts.to_numpy(dtype=object), pa.large_string())
    cells = pa.array(texts).cast(pa.large_string())
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    return cells.fill_null("") if cells.null_count else cells


def _is_plain(texts: pa.Array) -> bool:
    """Whether nothing but printable ASCII occurs, with the blank as its only white space."""
    content = texts.buffers()[2]
    data = np.frombuffer(content, np.uint8) if content else np.zeros(0, np.uint8)
    return not ((data < ord(" ")) | (data > ord("~"))).any()


def _flatten(lists: pa.Array) -> Tokens:
    counts = pc.list_value_length(lists).to_numpy().astype(np.int64)
    return Tokens(lists.flatten(), counts)


def _select(tokens: Tokens, keep: Mask) -> Tokens:
    if keep.all():
        return tokens
    counts = np.bincount(tokens.cells[keep], minlength=len(tokens.counts))
    return Tokens(tokens.flat.filter(pa.array(keep)), counts.astype(np.int64))


def _any_match(flat: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(flat, pattern)).as_py())


def _convert(flat: pa.Array, convert: Any, kind: Any) -> tuple[npt.NDArray[Any], Mask]:
    values, bad = np.zeros(len(flat), kind), np.zeros(len(flat), bool)
    for position, token in enumerate(flat.to_pylist()):
        try:
            values[position] = convert(token)
        except (ValueError, OverflowError):
            bad[position] = True
    return values, bad
