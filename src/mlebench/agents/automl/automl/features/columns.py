"""What a column holds: numbers, times, categories, composite codes, or free text."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.tseries.api import guess_datetime_format

from .lists import are_signals

Holds = Literal["numbers", "times", "categories", "texts", "lists", "signals", "nothing"]
SEPARATORS = re.compile(r"[/_|:; \-]")
DATE = re.compile(r"^\d{4}[-/.]?\d{2}[-/.]?\d{2}")
WORDS_OF_TEXT, SIGNS_OF_TEXT = 3.0, 25
FEW_DIFFERENT, SAME_COUNT = 0.01, 0.9
LOOKED_AT = 2000
MOST_PARTS = 6


@dataclass(frozen=True)
class Column:
    """A column of both tables.

    Attributes:
        name: What it is called.
        holds: What sort of values it has.
        train: Of the rows to learn from.
        test: Of the rows to predict.
    """

    name: str
    holds: Holds
    train: pd.Series
    test: pd.Series

    @property
    def both(self) -> pd.Series:
        """All values, those of the rows to predict last."""
        return pd.concat([self.train, self.test], ignore_index=True)

    @property
    def texts(self) -> list[str]:
        """All values as texts, those that are missing empty."""
        return [as_text(value) for value in self.both]


def as_text(value: object) -> str:
    """A value as text: parts of a list one after the other, nothing for what is missing."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(str(part) for part in value)
    if isinstance(value, dict):
        return " ".join(f"{key} {part}" for key, part in value.items())
    return "" if value is None or _is_nan(value) else str(value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def columns_of(train: pd.DataFrame, test: pd.DataFrame) -> list[Column]:
    """What the columns of two tables hold."""
    found = []
    for name in train.columns:
        both = pd.concat([train[name], test[name]], ignore_index=True)
        found.append(Column(str(name), holds(both), train[name], test[name]))
    return found


def holds(column: pd.Series) -> Holds:
    """What sort of values a column has."""
    known = column.dropna()
    if known.empty:
        return "nothing"
    if known.dtype.kind in "biuf":
        return "numbers"
    if known.dtype.kind == "M":
        return "times"
    looked_at = known.sample(min(len(known), LOOKED_AT), random_state=0)
    kinds = {type(value) for value in looked_at}
    if kinds <= {list, tuple, np.ndarray, dict}:
        return "signals" if are_signals(list(looked_at)) else "lists"
    if kinds <= {bool, np.bool_, int, float}:
        return "numbers"
    texts = looked_at.astype(str)
    if _as_numbers(texts).notna().mean() > 0.98 and texts.str.len().max() < 20:
        return "times" if texts.str.fullmatch(r"(?:19|20)\d{12}Z?").all() else "numbers"
    if texts.str.match(DATE).mean() > 0.95 and as_times(texts) is not None:
        return "times"
    counts = texts.str.count(r"\S+")
    is_long = texts.str.len().mean() >= SIGNS_OF_TEXT
    different = texts.nunique() / len(texts)
    if different <= FEW_DIFFERENT:
        return "categories"
    if counts.mean() >= WORDS_OF_TEXT and (is_long or different > 0.5):
        return "texts"
    # Names have as many words in each row; phrases have not.
    is_phrase = counts.mean() >= 1.5 and (counts == counts.mode().iloc[0]).mean() < SAME_COUNT
    return "texts" if is_phrase and texts.str.contains(" ").mean() > 0.5 else "categories"


def _as_numbers(texts: pd.Series) -> pd.Series:
    return pd.to_numeric(texts, errors="coerce")


def numbers(column: pd.Series) -> NDArray[np.float32]:
    """A column of numbers; what is none is missing."""
    return as_numbers(column).to_numpy(dtype=np.float32, na_value=np.nan)


def as_numbers(column: pd.Series) -> pd.Series:
    """The same as exact as they are written."""
    if column.dtype.kind in "biuf":
        return column
    return pd.to_numeric(
        column.map(lambda value: float(value) if isinstance(value, bool | np.bool_) else value),
        errors="coerce",
    )


def as_times(column: pd.Series) -> NDArray[np.float64] | None:
    """Days since 1970, for columns of dates or of numbers that count days or seconds.

    Columns whose name or form says nothing of time are none.
    """
    if column.dtype.kind == "M":
        return _days(column)
    if column.dtype.kind in "iuf":
        name = str(column.name).lower()
        if re.search(r"(?:^|_)(?:date|time|year|day|week|month|timestamp)s?(?:$|_)", name):
            return column.to_numpy(dtype=float)
        return None
    texts = column.dropna().head(LOOKED_AT).astype(str)
    if texts.empty or texts.str.match(DATE).mean() < 0.9:
        return None
    parsed = _parsed(column, texts.iloc[0])
    return None if parsed.isna().mean() > 0.5 else _days(parsed)


def _parsed(column: pd.Series, example: str) -> pd.Series:
    """Dates that are mostly written as one of them is: to guess how for each takes long."""
    usual = guess_datetime_format(example)
    if usual is None:
        return pd.to_datetime(column, errors="coerce", utc=True, format="mixed")
    parsed = pd.to_datetime(column, errors="coerce", utc=True, format=usual)
    others = parsed.isna() & column.notna()
    if others.any():
        parsed[others] = pd.to_datetime(column[others], errors="coerce", utc=True, format="mixed")
    return parsed


def _days(times: pd.Series) -> NDArray[np.float64]:
    # In milliseconds, since millennia do not fit in nanoseconds.
    stamps = pd.to_datetime(times, utc=True).astype("datetime64[ms, UTC]")
    return np.where(stamps.isna(), np.nan, stamps.astype("int64") / 86_400e3)


def parts_of(column: pd.Series) -> pd.DataFrame | None:
    """The parts of codes such as `F/731/S`, where nearly all have the same number of them."""
    texts = column.dropna().astype(str)
    if texts.empty:
        return None
    marks = texts.head(LOOKED_AT).str.findall(SEPARATORS).map("".join)
    common = marks.mode().iloc[0] if len(marks) else ""
    if not common or len(common) >= MOST_PARTS or (marks == common).mean() < 0.9:
        return None
    parts = (
        column.astype(object)
        .where(column.notna(), "")
        .astype(str)
        .str.split(SEPARATORS, n=len(common), expand=True, regex=True)
    )
    return parts.replace("", np.nan)


def is_fixed_length(column: pd.Series) -> int:
    """How many signs all texts of a column have, if they are codes of one length; else 0."""
    texts = column.dropna().astype(str)
    lengths = texts.str.len()
    if texts.empty or lengths.nunique() != 1:
        return 0
    length = int(lengths.iloc[0])
    is_code = texts.head(LOOKED_AT).str.fullmatch(r"[A-Za-z]+").all()
    return length if 3 <= length <= 30 and is_code else 0
