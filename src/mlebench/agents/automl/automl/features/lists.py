"""Lists of numbers in the cells of a table: signals, and grey pictures where they fill squares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .images import of_grey
from .signals import MOST_VALUES, as_square, of_signal

Values = NDArray[np.float64]
FEWEST_WHOLE = 12  # shorter lists of whole numbers may as well name things
LOOKED_AT = 100
LEAST_SIDE = 16
LISTS = (list, tuple, np.ndarray)


def are_signals(cells: Sequence[object]) -> bool:
    """Whether cells hold lists of numbers that are amounts, not names of things."""
    lists = [numbers_of(cell) for cell in cells[:LOOKED_AT]]
    if any(one is None for one in lists):
        return False
    known = [one for one in lists if one is not None and len(one)]
    if not known:
        return False
    is_long = np.mean([len(one) for one in known]) >= FEWEST_WHOLE
    return bool(is_long or any((one % 1 > 0).any() for one in known))


def numbers_of(cell: object) -> Values | None:
    """The numbers of a list, missing ones NaN; None if it is no list of numbers to reckon with."""
    if not isinstance(cell, LISTS):
        return None
    kinds = {type(part) for part in cell}
    if not all(issubclass(kind, Real | type(None)) for kind in kinds):
        return None
    try:
        return np.array(cell, dtype=np.float64)
    except OverflowError:  # whole numbers of hundreds of digits
        return None


def summaries(cells: Sequence[object]) -> dict[str, Values]:
    """What is quickly told of lists."""
    told = []
    for cell in cells:
        values = known_of(cell)
        told.append(
            {
                "mean": values.mean(), "spread": values.std(), "least": values.min(),
                "most": values.max(), "first": values[0], "last": values[-1],
            }
            if len(values)
            else {}
        )  # fmt: skip
    return _columns(told) | {"length": np.array([_length(cell) for cell in cells], dtype=float)}


def descriptions(cells: Sequence[object], side: int) -> dict[str, Values]:
    """How the numbers of lists run, and what is seen in those that fill squares.

    Args:
        cells: One list for each row.
        side: That of the squares; 0 if lists are none.
    """
    return _columns([_description(known_of(cell), side) for cell in cells])


def side_of(cells: Sequence[object]) -> int:
    """The side of the squares that all lists fill; 0 if they do not."""
    lengths = {_length(cell) for cell in cells} - {0}
    if len(lengths) != 1:
        return 0
    side = math.isqrt(length := lengths.pop())
    return side if side >= LEAST_SIDE and side * side == length else 0


def _description(values: Values, side: int) -> Mapping[str, float]:
    if not len(values):
        return {}
    told = of_signal(values)
    if side and len(values) == side * side:
        square = as_square(values.reshape(side, side))
        told |= {f"square {what}": value for what, value in of_grey(square).items()}
    return told


def known_of(cell: object) -> Values:
    """The numbers of a list, missing ones as the mean of others; none if there are none."""
    values = numbers_of(cell)
    if values is None or not np.isfinite(values).any():
        return np.zeros(0)
    values = values[:MOST_VALUES]
    is_known = np.isfinite(values)
    return values if is_known.all() else np.where(is_known, values, values[is_known].mean())


def _columns(told: Sequence[Mapping[str, float]]) -> dict[str, Values]:
    table = pd.DataFrame(told, dtype=np.float64)
    return {str(name): table[name].to_numpy() for name in table}


def _length(cell: object) -> int:
    return len(cell) if isinstance(cell, LISTS) else 0
