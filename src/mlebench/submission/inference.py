"""What the cells of a column are: numbers, truth values or text.

Types decide what is valid: a mask column of plain numbers is not text, ``NA`` is missing,
``True`` is a boolean. The original left them to pandas 2.2. Later releases decide otherwise
about numbers that are too large, so its rules are written down here, whatever is installed:

- Whole numbers that fit 64 bits stay whole; with gaps among them they become floats, and
  -2**63, by which pandas marked gaps, becomes one.
- Up to the first cell that is not whole, a whole number (or the whole part of a number)
  beyond 64 bits makes the column text. So does one beyond 63 bits together with negative
  numbers; together with gaps it even makes words for missing values text.
- ``1e400`` is text, ``-1e400`` minus infinity. ``inf`` and ``infinity`` are numbers in any
  capitals and with a sign, ``NAN`` and whatever is no word for missing values are text.
- Blanks around a number do not matter, those around a word do. ``1_000`` and ``0x10`` are text.
- ``True`` and ``False`` in any capitals are truth values.

Text is never mended: one word in a column of numbers makes them all text. Pandas decided
this anew every few hundred thousand rows, we do it once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

MISSING_WORDS = (
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
)  # fmt: skip
INFINITE_WORDS = {
    "inf": np.inf, "+inf": np.inf, "infinity": np.inf, "+infinity": np.inf,
    "-inf": -np.inf, "-infinity": -np.inf,
}  # fmt: skip

_MISSING = frozenset(MISSING_WORDS)
_BLANKS = " \t\n\v\f\r"
# Possessive throughout: a long number with a wrong end would be tried at every digit of it.
_WHOLE_PART = re.compile(rf"[{_BLANKS}]*+([+-]?)0*+([0-9]*+)(?<=[0-9])")
_NUMBER = re.compile(
    rf"[{_BLANKS}]*+[+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+[{_BLANKS}]*+"
)
_TRUTH = {"true": True, "false": False}
_LOWEST, _HIGHEST, _HIGHEST_UNSIGNED = -(2**63), 2**63 - 1, 2**64 - 1
_MOST_DIGITS = 20  # of any number of 64 bits


class Text(Enum):
    """Two ways of being text."""

    WITH_GAPS = "words for missing values are missing"
    WITHOUT_GAPS = "words for missing values are text too"


class _OtherKindError(Exception):
    """The cells are not what they were tried as."""


class _BeyondError(Exception):
    """A whole number does not fit 64 bits with a sign."""


def infer(cells: Iterable[str]) -> npt.NDArray[Any] | Text:
    """The values of a column, unless they are text.

    Truth values with gaps are Python objects, all other values numpy's.

    Args:
        cells: Passed through several times.
    """
    if all(cell in _MISSING for cell in cells):
        return np.array([np.nan for _ in cells])
    attempts: list[Callable[[Iterable[str]], npt.NDArray[Any] | Text]] = [_floats, _truth_values]
    try:
        return _signed(cells)
    except _OtherKindError:
        pass
    except _BeyondError:
        attempts.insert(0, _unsigned)
    for attempt in attempts:
        try:
            return attempt(cells)
        except _OtherKindError:
            continue
    return Text.WITH_GAPS


def _signed(cells: Iterable[str]) -> npt.NDArray[Any]:
    gaps = False

    def parse() -> Iterator[int]:
        nonlocal gaps
        for cell in cells:
            if cell in _MISSING:
                gaps = True
                yield _LOWEST
                continue
            value, is_all = _whole_part(cell)
            if not _LOWEST <= value <= _HIGHEST:
                raise _BeyondError
            if not is_all:
                raise _OtherKindError
            yield value

    values = np.fromiter(parse(), np.int64)
    return np.where(values == _LOWEST, np.nan, values.astype(np.float64)) if gaps else values


def _unsigned(cells: Iterable[str]) -> npt.NDArray[Any] | Text:
    values, gaps, negative = [], False, False
    for cell in cells:
        if cell in _MISSING:
            gaps = True
        elif cell.lstrip(_BLANKS).startswith("-") and _float(cell) is not None:
            negative = True
        else:
            value, is_all = _whole_part(cell)
            if value > _HIGHEST_UNSIGNED:
                return Text.WITH_GAPS
            if not is_all:
                raise _OtherKindError
            values.append(value)
    if not gaps and not negative:
        return np.array(values, np.uint64)
    beyond = any(value > _HIGHEST for value in values)
    return Text.WITHOUT_GAPS if beyond else Text.WITH_GAPS


def _whole_part(cell: str) -> tuple[int, bool]:
    """The whole number at the beginning of a cell, and whether nothing follows it."""
    match = _WHOLE_PART.match(cell)
    if match is None:
        raise _OtherKindError
    sign, digits = match.groups()
    value = int(sign + (digits or "0")) if len(digits) <= _MOST_DIGITS else int(f"{sign}{10**20}")
    is_all = not cell[match.end() :].strip(_BLANKS)
    if not is_all and not _LOWEST <= value <= _HIGHEST:
        # Pandas 2.2 went by the digits alone. But 1000...0e-400 is 1 to whoever wrote it, and
        # to Arrow, which reads most files.
        whole = _float(cell)
        if whole is None or abs(whole) <= _HIGHEST:
            raise _OtherKindError
    return value, is_all


def _floats(cells: Iterable[str]) -> npt.NDArray[Any]:
    def parse() -> Iterator[float]:
        for cell in cells:
            value = np.nan if cell in _MISSING else _float(cell)
            if value is None or (value == np.inf and cell.lower() not in INFINITE_WORDS):
                raise _OtherKindError
            yield value

    return np.fromiter(parse(), np.float64)


def _float(cell: str) -> float | None:
    """The value of a number that may be beyond floats."""
    return float(cell) if _NUMBER.fullmatch(cell) else INFINITE_WORDS.get(cell.lower())


def _truth_values(cells: Iterable[str]) -> npt.NDArray[Any]:
    values: list[bool | float] = []
    gaps = False
    for cell in cells:
        value = np.nan if cell in _MISSING else _TRUTH.get(cell.lower())
        if value is None:
            raise _OtherKindError
        gaps = gaps or cell in _MISSING
        values.append(value)
    return np.array(values, np.object_ if gaps else np.bool_)
