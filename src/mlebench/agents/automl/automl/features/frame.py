"""Numbers made of the columns of a table: for trees as they are, for others scaled and complete."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .columns import Column, as_numbers, as_times, columns_of, is_fixed_length, numbers, parts_of
from .lists import summaries
from .texts import decoded_all

Matrix = NDArray[np.float32]
FEW_CATEGORIES = 60
MANY_REPEATED = 10
FEW_AMOUNTS = 20


@dataclass
class Frame:
    """Features of all rows, those of the rows to predict last.

    Attributes:
        rows: How many of them are to be learned from.
        names: One for each column.
        columns: The values, missing ones NaN.
        categories: Which columns are codes whose order means nothing.
        repeated: Columns of codes that repeat, for which the mean target may tell something.
    """

    rows: int
    names: list[str] = field(default_factory=list)
    columns: list[Matrix] = field(default_factory=list)
    categories: set[str] = field(default_factory=set)
    repeated: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    def add(self, name: str, values: NDArray[np.generic], *, is_category: bool = False) -> None:
        """Add a column, unless it is the same in all rows to learn from.

        What is different only in rows to predict would put these off by what nobody has learned.
        """
        column = np.asarray(values, dtype=np.float32)
        learned = column[: self.rows]
        known = learned[np.isfinite(learned)]
        is_constant = not len(known) or (len(known) == len(learned) and np.ptp(known) == 0)
        if is_constant or name in self.names:
            return
        if not np.isfinite(column).all():
            column = np.where(np.isfinite(column), column, np.float32(np.nan))
        self.names.append(name)
        self.columns.append(column)
        if is_category:
            self.categories.add(name)

    def copy(self) -> Frame:
        """One that can be added to without changing this one."""
        return Frame(
            self.rows, [*self.names], [*self.columns], {*self.categories}, {**self.repeated}
        )

    @property
    def matrix(self) -> Matrix:
        """All columns side by side."""
        if not self.columns:
            return np.zeros((self.size, 0), dtype=np.float32)
        return np.column_stack(self.columns)

    @property
    def size(self) -> int:
        """How many rows there are in all."""
        return len(self.columns[0]) if self.columns else 0


def frame_of(train: pd.DataFrame, test: pd.DataFrame, skip: frozenset[str] = frozenset()) -> Frame:
    """What can be told of rows in numbers.

    Args:
        train: The rows to learn from.
        test: The rows to predict.
        skip: Columns that only say which row is which.
    """
    frame = Frame(len(train))
    columns = columns_of(train, test)
    for column in columns:
        _add(frame, column, is_name=column.name in skip)
    _add_missing(frame, columns)
    _add_sums(frame, [column for column in columns if column.name not in skip])
    return frame


def plain_frame_of(
    train: pd.DataFrame, test: pd.DataFrame, skip: frozenset[str] = frozenset()
) -> Frame:
    """Numbers as they are and other values as codes, which takes little time and memory."""
    frame = Frame(len(train))
    for column in columns_of(train, test):
        if column.name in skip or column.holds in ("lists", "nothing"):
            continue
        if column.holds == "numbers":
            frame.add(column.name, numbers(column.both))
        elif column.holds == "texts":
            frame.add(f"{column.name} signs", np.array([len(text) for text in column.texts]))
        elif column.holds == "signals":
            _add_summaries(frame, column)
        else:
            codes, _ = pd.factorize(column.both.astype(str), sort=True)
            frame.add(column.name, codes)
    return frame


def _add(frame: Frame, column: Column, *, is_name: bool) -> None:
    if column.holds == "numbers":
        if not is_name:
            _add_numbers(frame, column)
    elif column.holds == "times":
        _add_times(frame, column)
    elif column.holds == "categories":
        _add_categories(frame, column.name, column.both, is_name=is_name)
    elif column.holds == "texts":
        _add_text_counts(frame, column)
    elif column.holds == "lists":
        frame.add(f"{column.name} length", column.both.map(_length).to_numpy())
        _add_text_counts(frame, column)
    elif column.holds == "signals":
        _add_summaries(frame, column)


def _add_summaries(frame: Frame, column: Column) -> None:
    for what, values in summaries(list(column.both)).items():
        frame.add(f"{column.name} {what}", values)


def _length(value: object) -> int:
    return len(value) if isinstance(value, list | tuple | dict | np.ndarray) else 0


def _add_numbers(frame: Frame, column: Column) -> None:
    both = column.both
    values = numbers(both)
    frame.add(column.name, values)
    known = values[np.isfinite(values)]
    # Small floats run large whole numbers together, and these are often names of something.
    codes, different = pd.factorize(as_numbers(both))
    is_whole = bool(len(known)) and bool((known == np.round(known)).all())
    if is_whole and MANY_REPEATED < len(different) < 0.5 * len(known):
        frame.add(f"{column.name} count", _counts(codes))
        frame.repeated[column.name] = codes.astype(np.int64)


def _add_times(frame: Frame, column: Column) -> None:
    both = column.both
    days = as_times(both)
    if days is None:
        text = both.astype(str).str.removesuffix("Z")
        days = as_times(pd.to_datetime(text, errors="coerce", format="%Y%m%d%H%M%S").rename("date"))
    if days is None:
        return
    frame.add(f"{column.name} days", days)
    stamps = pd.to_datetime(pd.Series(days) * 86_400e9, errors="coerce")
    for part in ("year", "month", "day", "day_of_week", "hour", "minute", "day_of_year"):
        frame.add(f"{column.name} {part}", getattr(stamps.dt, part).to_numpy(dtype=np.float32))


def _add_categories(frame: Frame, name: str, values: pd.Series, *, is_name: bool) -> None:
    codes, different = pd.factorize(values, sort=True)
    repeats = len(values) / max(len(different), 1)
    if repeats > 1.05 and not is_name:
        column = np.where(codes < 0, np.nan, codes.astype(np.float32))
        frame.add(name, column, is_category=len(different) <= FEW_CATEGORIES)
    frame.add(f"{name} count", _counts(codes))
    if repeats > 1.5 and len(different) > MANY_REPEATED:
        frame.repeated[name] = codes.astype(np.int64)
    if (parts := parts_of(values)) is not None:
        _add_parts(frame, name, parts)
    elif length := is_fixed_length(values):
        _add_signs(frame, name, values, length)


def _counts(codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """How many rows have the code of each; NaN for those that have none."""
    counts = np.bincount(codes[codes >= 0], minlength=1)
    return np.where(codes < 0, np.nan, counts[np.maximum(codes, 0)])


def _add_parts(frame: Frame, name: str, parts: pd.DataFrame) -> None:
    """Each part by itself, and how often the first parts occur together."""
    beginning = pd.Series([""] * len(parts), index=parts.index)
    for place in range(parts.shape[1]):
        part = parts[place]
        known = part.dropna()
        as_number = pd.to_numeric(part, errors="coerce")
        if len(known) and as_number[known.index].notna().mean() > 0.98:
            frame.add(f"{name} part {place}", as_number.to_numpy())
        else:
            codes, different = pd.factorize(part, sort=True)
            column = np.where(codes < 0, np.nan, codes.astype(np.float32))
            few = len(different) <= FEW_CATEGORIES
            frame.add(f"{name} part {place}", column, is_category=few)
        for label, values in (
            (f"{name} part {place}", part.where(part.notna(), "")),
            (f"{name} up to {place}", beginning := beginning + "/" + part.fillna("").astype(str)),
        ):
            codes, different = pd.factorize(values)
            if 1 < len(different) < 0.95 * len(values):
                frame.add(f"{label} count", np.bincount(codes)[codes])
                if len(different) > MANY_REPEATED:
                    frame.repeated[label] = codes.astype(np.int64)


def _add_signs(frame: Frame, name: str, values: pd.Series, length: int) -> None:
    """The sign at each place of a code, and how many different ones there are."""
    texts = values.fillna("?" * length).astype(str)
    signs = np.array([[ord(sign) for sign in text] for text in texts], dtype=np.float32)
    for place in range(length):
        frame.add(f"{name} sign {place}", signs[:, place])
    frame.add(f"{name} signs", np.array([len(set(text)) for text in texts]))
    for sign in np.unique(signs):
        frame.add(f"{name} has {chr(int(sign))}", (signs == sign).sum(axis=1))


def _add_text_counts(frame: Frame, column: Column) -> None:
    texts = pd.Series(decoded_all(column.texts))
    words = texts.str.count(r"\w+").clip(lower=0)
    length = texts.str.len()
    frame.add(f"{column.name} signs", length.to_numpy())
    frame.add(f"{column.name} words", words.to_numpy())
    frame.add(f"{column.name} word length", (length / words.clip(lower=1)).to_numpy())
    for what, pattern in (
        ("capitals", r"[A-Z]"), ("digits", r"\d"), ("exclamations", "!"), ("questions", r"\?"),
        ("commas", ","), ("dots", r"\."), ("lines", "\n"), ("quotes", "[\"']"), ("links", "http"),
    ):  # fmt: skip
        frame.add(f"{column.name} {what}", texts.str.count(pattern).to_numpy())
    if texts.nunique() < 0.9 * len(texts):
        codes, _ = pd.factorize(texts)
        frame.add(f"{column.name} count", np.bincount(codes)[codes])
        frame.repeated[column.name] = codes.astype(np.int64)


def _add_missing(frame: Frame, columns: list[Column]) -> None:
    if not columns:
        return
    missing = np.column_stack([column.both.isna().to_numpy() for column in columns])
    frame.add("missing values", missing.sum(axis=1))
    for place, column in enumerate(columns):
        share = missing[:, place].mean()
        if 0.001 < share < 0.999:
            frame.add(f"{column.name} missing", missing[:, place])


def _add_sums(frame: Frame, columns: list[Column]) -> None:
    """Sums over columns that seem to count the same thing, such as amounts of money."""
    counting = [
        column.name
        for column in columns
        if column.holds == "numbers"
        and column.name in frame.names
        and column.train.dtype.kind in "iuf"
        and column.both.min() == 0
        and column.both.nunique() > FEW_AMOUNTS
    ]
    if 2 <= len(counting) <= 60:
        values = np.column_stack([frame.columns[frame.names.index(name)] for name in counting])
        known = np.nan_to_num(values)
        frame.add("sum of counts", known.sum(axis=1))
        frame.add("counts above 0", (known > 0).sum(axis=1))
        frame.add("largest count", known.argmax(axis=1), is_category=True)


def dense(frame: Frame) -> Matrix:
    """The features as scaled numbers without gaps, for learners that need them so."""
    parts: list[Matrix] = []
    for name, values in zip(frame.names, frame.columns, strict=True):
        if name in frame.categories:
            known = np.nan_to_num(values, nan=-1).astype(np.int64)
            different = np.unique(known)
            parts.append((known[:, None] == different).astype(np.float32))
            continue
        filled = np.where(np.isnan(values), np.nanmedian(values), values)
        parts.append(_scaled(filled)[:, None])
        if filled.min() >= 0 and _is_skewed(filled):
            parts.append(_scaled(np.log1p(filled))[:, None])
    if not parts:
        return np.zeros((frame.size, 0), dtype=np.float32)
    return np.hstack(parts).astype(np.float32)


def _scaled(values: Matrix) -> Matrix:
    spread = float(values.std())
    scaled: Matrix = np.clip((values - values.mean()) / (spread or 1.0), -8, 8)
    return scaled


def _is_skewed(values: Matrix) -> bool:
    centred = values - values.mean()
    spread = float(centred.std())
    return bool(spread > 0 and abs(float((centred**3).mean())) / spread**3 > 1.5)
