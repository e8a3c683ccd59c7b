"""Tables out of JSON: records, lines of them, columns by name, lists that refer to others."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd

JOINED_WITH = "annotations"


def table_of(content: bytes) -> pd.DataFrame:
    """The table in a JSON file.

    Raises:
        ValueError: There is none.
    """
    try:
        told = json.loads(content)
    except ValueError:
        told = [json.loads(line) for line in content.splitlines() if line.strip()]
    if isinstance(told, dict):
        lists = {
            key: value
            for key, value in told.items()
            if isinstance(value, list) and value and all(isinstance(one, dict) for one in value)
        }
        if lists:
            return _joined(lists)
        told = {key: value for key, value in told.items() if isinstance(value, list)} or told
    if isinstance(told, list) and not all(isinstance(one, dict) for one in told):
        raise ValueError("it is no list of records")
    return pd.DataFrame(told)


def _joined(lists: dict[str, list[dict[str, Any]]]) -> pd.DataFrame:
    """The list that says most, with what it refers to in others by `<thing>_id`.

    Where a thing is annotated several times, its first annotation counts.
    """
    tables = {key: pd.DataFrame(value) for key, value in lists.items()}
    notes = tables.pop(JOINED_WITH, None)
    if notes is None:
        return max(tables.values(), key=len)
    for name, things in tables.items():
        reference = f"{name.removesuffix('s')}_id"
        own = reference if reference in things else "id"
        if reference not in notes or own not in things or things.shape[0] < 2:
            continue
        if things.shape[0] < notes[reference].nunique() * 0.5 or name == "categories":
            continue
        first = notes.drop_duplicates(reference).drop(columns="id", errors="ignore")
        new = [column for column in first if column == reference or column not in things]
        merged = things.merge(first[new], left_on=own, right_on=reference, how="inner")
        return merged.drop(columns=reference) if own != reference else merged
    return notes
