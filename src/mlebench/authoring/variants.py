"""Usual ways to get a submission wrong, each with the verdict that its declaration promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, is_dataclass, replace
from functools import partial

import pandas as pd

from mlebench.submission import Column, Submission


@dataclass(frozen=True)
class Variant:
    """A changed submission and the verdict that the declaration promises."""

    name: str
    content: bytes
    is_valid: bool


def variants(table: pd.DataFrame, declared: Submission) -> Iterator[Variant]:
    """Every usual way to get a submission wrong, and a few that are right.

    Args:
        table: A valid submission, its cells as they stand in the file.
        declared: What it must look like.
    """
    passes = declared.matching.tolerates
    key = declared.keys[0]
    keys = table[declared.keys]
    last = table.index[-1]

    is_other = (keys != keys.iloc[0]).any(axis=1)  # than the first

    def variant(name: str, change: Callable[[pd.DataFrame], pd.DataFrame], valid: bool) -> Variant:
        return Variant(name, change(table.copy()).to_csv(index=False).encode(), valid)

    def with_cell(column: str, value: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
        def change(frame: pd.DataFrame) -> pd.DataFrame:
            frame.loc[last, column] = value
            return frame

        return change

    def with_keys_of_first(frame: pd.DataFrame) -> pd.DataFrame:
        frame.loc[last, declared.keys] = frame.loc[frame.index[0], declared.keys]
        return frame

    yield Variant("empty file", b"", is_valid=False)
    yield Variant("binary file", bytes(range(256)) * 8, is_valid=False)
    # A column without cells is none of numbers.
    nothing_passes = passes.no_rows and not declared.number_names
    yield variant("header only", lambda frame: frame.iloc[:0], nothing_passes)
    yield variant("an id missing", lambda frame: frame[is_other], passes.a_row_missing)
    yield variant(
        "a row twice", lambda frame: pd.concat([frame, frame.tail(1)]), passes.a_row_twice
    )
    if passes.shuffled_rows:
        yield variant("rows reversed", lambda frame: frame.iloc[::-1], True)
    yield variant("unknown id", with_cell(key, "no-such-id"), passes.an_unknown_key)
    yield variant("empty id", with_cell(key, ""), passes.an_empty_key)
    if is_other.iloc[-1]:
        is_elsewhere = keys.duplicated(keep=False).iloc[-1]
        passes_again = passes.other_repetitions if is_elsewhere else passes.a_repeated_key
        yield variant("repeated id", with_keys_of_first, passes_again)
    is_ignored = not declared.only_these_columns and declared.further is None
    yield variant("extra column", lambda frame: frame.assign(remark="x"), is_ignored)
    yield variant("no id column", lambda frame: frame.drop(columns=key), passes.no_key_column)
    for column in _kinds(declared.columns):
        name = column.name
        yield variant(f"no {name} column", partial(pd.DataFrame.drop, columns=name), False)
        for trial in column.trials():
            yield variant(f"{trial.name} in {name}", with_cell(name, trial.cell), trial.is_valid)


def _kinds(columns: Sequence[Column]) -> list[Column]:
    """The last of all columns that differ in nothing but their names."""
    return list({_nameless(column): column for column in columns}.values())


def _nameless(column: Column) -> object:
    return replace(column, name="") if is_dataclass(column) else column
