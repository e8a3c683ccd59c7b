"""Matching the rows of a submission with those of the answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.columns import SHOWN_ROWS, is_text, quote

Order = npt.NDArray[np.int64]
Keys = Any  # pa.Array or pa.ChunkedArray; Arrow is not typed


def by_position(submitted: int, expected: int) -> Order:
    """Row k of the submission belongs to row k of the answers."""
    check_row_count(submitted, expected)
    return np.arange(expected)


def check_row_count(submitted: int, expected: int, hint: str = "") -> None:
    """Refuse a submission with too few or too many rows."""
    if submitted != expected:
        raise InvalidSubmissionError(
            f"Expected {expected} rows, found {submitted}.{hint}", code="row_count"
        )


def by_key(submitted: pd.Series[Any], expected: pd.Series[Any]) -> Order:
    """For each answer the position of its row in the submission.

    Every expected key must occur exactly once. Repeated keys in the answers are matched
    in order of appearance, so only a submission that repeats them as often passes.
    """
    if submitted.empty:
        submitted = expected.iloc[:0]  # without cells it is neither text nor numbers
    given, wanted = _comparable(submitted, expected)
    same_length = len(given) == len(wanted)
    if same_length and not given.null_count and pc.all(pc.equal(given, wanted)).as_py():
        return np.arange(len(wanted))
    given, wanted = _whole(given), _whole(wanted)
    order = _positions(wanted, given) if same_length else None
    if order is None and len(pc.unique(wanted)) < len(wanted):
        given, wanted = _number_repeats(given), _number_repeats(wanted)
        order = _positions(wanted, given) if same_length else None
    if order is None:
        _refuse_keys(submitted, given, wanted)
    return order


def _positions(wanted: pa.Array, given: pa.Array) -> Order | None:
    """Where each wanted key stands among as many given ones; none unless each stands once."""
    found = pc.index_in(wanted, value_set=given, skip_nulls=True)
    if found.null_count or (np.bincount(found.to_numpy()) > 1).any():
        return None
    return np.asarray(found.to_numpy(), dtype=np.int64)


def _comparable(submitted: pd.Series[Any], expected: pd.Series[Any]) -> tuple[Keys, Keys]:
    """Both key columns as Arrow arrays of one type: text, or numbers compared by value."""
    if is_text(expected):
        if not is_text(submitted) and submitted.notna().any():
            raise InvalidSubmissionError(
                f"Column {submitted.name!r} holds numbers, but the ids are text such as "
                f"{expected.iloc[0]!r}.",
                code="wrong_ids",
                column=str(submitted.name),
            )
        return _as_text(submitted), _as_text(expected)
    if is_text(submitted):
        raise InvalidSubmissionError(
            f"Column {submitted.name!r} holds text, but the ids are numbers such as "
            f"{expected.iloc[0]!r}.",
            code="wrong_ids",
            column=str(submitted.name),
        )
    whole = all(series.dtype.kind in "iu" for series in (submitted, expected))
    kind = np.int64 if whole else np.float64
    return tuple(pa.array(series.to_numpy(dtype=kind)) for series in (submitted, expected))


def _as_text(series: pd.Series[Any]) -> Keys:
    if isinstance(series.dtype, pd.ArrowDtype):
        return pa.array(series)
    present = series.notna()
    return pa.array(series.astype(object).map(str).where(present, None), pa.string())


def _whole(keys: Keys) -> pa.Array:
    return keys.combine_chunks() if isinstance(keys, pa.ChunkedArray) else keys


def _number_repeats(keys: Keys) -> pa.Array:
    """Make repeated keys distinct by counting them."""
    series = keys.to_pandas()
    count = series.groupby(series, dropna=False).cumcount()
    return pa.array([f"{key}\0{number}" for key, number in zip(series, count, strict=True)])


def _refuse_keys(submitted: pd.Series[Any], given: pa.Array, wanted: pa.Array) -> NoReturn:
    """Raise with the first missing, unknown, empty and repeated ids."""
    name = str(submitted.name)
    is_known = pc.is_in(given, value_set=wanted, skip_nulls=True)
    is_given = pc.is_in(wanted, value_set=given, skip_nulls=True)
    unknown = np.flatnonzero(~is_known.to_numpy(zero_copy_only=False))
    repeated = np.flatnonzero(submitted.duplicated().to_numpy())
    absent = [str(key).split("\0")[0] for key in wanted.filter(pc.invert(is_given)).to_pylist()]
    details = []
    if absent:
        details.append(f"{len(absent)} missing, such as {_some(absent)}")
    if len(unknown):
        details.append(
            f"{len(unknown)} unknown, such as {_some(submitted.iloc[unknown[:SHOWN_ROWS]])}"
        )
    if len(repeated):
        details.append(
            f"{len(repeated)} repeated, such as {_some(submitted.iloc[repeated[:SHOWN_ROWS]])}"
        )
    summary = f" Ids in column {name!r}: " + "; ".join(details) + "." if details else ""
    check_row_count(len(given), len(wanted), hint=summary)
    raise InvalidSubmissionError(
        f"The ids do not match the test set.{summary}",
        code="duplicate_ids" if len(repeated) else "wrong_ids",
        column=name,
        rows=[int(row) + 1 for row in np.union1d(unknown, repeated)[:SHOWN_ROWS]],
    )


def _some(values: Iterable[Any]) -> str:
    return ", ".join(quote(value) for value, _ in zip(values, range(SHOWN_ROWS), strict=False))
