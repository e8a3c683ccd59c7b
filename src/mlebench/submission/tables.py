"""Putting tables together from columns, cheaply: most submissions are small."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

LONGEST_KEPT = 1000
"""Characters of column names that are worth keeping; a hostile header may have millions."""


def make_table(columns: Mapping[str, Any], rows: pd.Index[Any] | None = None) -> pd.DataFrame:
    """A table of arrays that all have the same length; whoever gets it may write to it.

    Args:
        columns: An array for each name, given away with the call.
        rows: Their index; by default they are numbered.
    """
    values = dict(enumerate(map(_writable, columns.values())))
    table = pd.DataFrame(values, index=rows, copy=False)
    table.columns = _index(tuple(columns))
    return table


def _writable(values: Any) -> Any:
    is_read_only = isinstance(values, np.ndarray) and not values.flags.writeable
    return values.copy() if is_read_only else values


def _index(names: tuple[str, ...]) -> pd.Index[Any]:
    """An index of names; making one, and the first look-up in it, take as long as a table."""
    if sum(map(len, names)) > LONGEST_KEPT:
        return pd.Index(names)
    return _kept_index(names).view()  # of its own, lest somebody rename that of all others


@lru_cache(maxsize=100)
def _kept_index(names: tuple[str, ...]) -> pd.Index[Any]:
    return pd.Index(names)
