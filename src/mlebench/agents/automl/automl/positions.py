"""Rows that hold a sequence with a value at each position, made a row for each position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

NEAR = 3
LOOKED_AT = 1000
NAME, PLACE, COUNT = "sequence name", "position", "length"
BEYOND = "~"


def sequences_of(
    sample: pd.DataFrame, tables: Mapping[Path, pd.DataFrame]
) -> tuple[str, list[Path]] | None:
    """Tables of sequences whose positions a sample asks for, and the column that names them.

    Rows of the sample are called by a sequence and a position.
    """
    outputs = [str(name) for name in sample.columns[1:]]
    known = [path for path, table in tables.items() if _has_sequences(table, outputs)]
    asked = sample.iloc[:LOOKED_AT, 0].astype(str).str.rpartition("_")[0]
    for path, table in tables.items():
        for name in table.columns if known and path not in known else ():
            is_text = table[name].map(lambda value: isinstance(value, str)).all()
            if is_text and asked.isin(table[name]).all() and all(name in tables[k] for k in known):
                return str(name), [*known, path]
    return None


def _has_sequences(table: pd.DataFrame, outputs: Sequence[str]) -> bool:
    """Whether all of some columns hold lists."""
    return bool(len(table)) and all(
        name in table.columns and table[name].map(lambda value: isinstance(value, list)).all()
        for name in outputs
    )


def by_position(table: pd.DataFrame, name: str, outputs: Sequence[str]) -> pd.DataFrame:
    """A row for each position that has a value, or for all positions where there are none.

    Of texts and lists that have something at each position, a row knows what is at its own
    and at those near it.

    Args:
        table: With a row for each sequence.
        name: The column that says which sequence it is.
        outputs: The columns of values, which rows to predict lack.
    """
    has_outputs = all(output in table.columns for output in outputs)
    along = [str(one) for one in table.columns if one != name and _is_along(table, one, outputs)]
    if not along:
        return table
    lengths = table[along[0]].map(len).to_numpy()
    counts = table[outputs[0]].map(len).to_numpy() if has_outputs else lengths
    rows = np.repeat(np.arange(len(table)), counts)
    places = np.concatenate([np.arange(count) for count in counts])
    made: dict[str, object] = {
        NAME: table[name].astype(str).to_numpy()[rows],
        PLACE: places,
        COUNT: lengths[rows],
        name: [f"{table[name].iloc[row]}_{place}" for row, place in zip(rows, places, strict=True)],
    }  # fmt: skip
    for column in table.columns:
        if column in along or column == name or column in outputs:
            continue
        if table[column].dtype.kind in "iufb":
            made[str(column)] = table[column].to_numpy()[rows]
    for column in along:
        signs = [[BEYOND] * NEAR + list(text) + [BEYOND] * NEAR for text in table[column]]
        for away in range(-NEAR, NEAR + 1):
            made[f"{column} {away:+d}"] = [
                signs[row][place + NEAR + away] for row, place in zip(rows, places, strict=True)
            ]
    if has_outputs:
        for output in outputs:
            made[output] = np.concatenate([np.asarray(v, dtype=float) for v in table[output]])
    return pd.DataFrame(made)


def _is_along(table: pd.DataFrame, column: str, outputs: Sequence[str]) -> bool:
    """Whether a column has a sign for each position: always as many as the sequence is long."""
    if column in outputs or not table[column].map(lambda v: isinstance(v, str)).all():
        return False
    sizes = table[column].map(len)
    lengths = [
        table[other]
        for other in table.columns
        if table[other].dtype.kind in "iu"
        and table[other].gt(1).all()
        and "len" in str(other).lower()
    ]
    return any((sizes == length).all() for length in lengths)
