"""Putting tables together from columns, cheaply: most submissions are small."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pandas as pd


def make_table(columns: Mapping[str, Any], rows: pd.Index[Any] | None = None) -> pd.DataFrame:
    """A table of arrays that all have the same length, which are not copied.

    Args:
        columns: An array for each name.
        rows: Their index; by default they are numbered.
    """
    table = pd.DataFrame(dict(enumerate(columns.values())), index=rows, copy=False)
    table.columns = _index(tuple(columns))
    return table


@lru_cache(maxsize=100)
def _index(names: tuple[str, ...]) -> pd.Index[Any]:
    """An index of names; making one, and the first look-up in it, take as long as a table."""
    return pd.Index(names)
