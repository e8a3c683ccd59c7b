"""Answers among the public files: what participants must not be given."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pandas as pd

from mlebench.data.checksums import file_digest
from mlebench.submission import Submission


def leaks(public: Path, private: Path, answers: Path, declared: Submission) -> Iterator[str]:
    """Sentences about public files that give the answers away."""
    digests = {file_digest(path): path for path in _files(private) if path.stat().st_size}
    for path in _files(public):
        if twin := digests.get(file_digest(path)):
            yield f"{path.relative_to(public)} equals the private {twin.relative_to(private)}."
    truth = _read(answers.name, answers)
    if truth is None or not set(declared.keys) <= set(truth.columns):
        return
    for name, table in _tables(public):
        for column in declared.columns:
            if _holds_labels(table, truth, declared.keys, column.name):
                yield f"{name} holds the answers' column {column.name!r}."


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """All public tables that can be read, those inside zips included."""
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for member in archive.namelist():
                    table = _read(member, io.BytesIO(archive.read(member)))
                    if table is not None:
                        yield f"{name}/{member}", table
        elif (table := _read(name, path)) is not None:
            yield name, table


def _read(name: str, source: Path | IO[bytes]) -> pd.DataFrame | None:
    """A table with its cells as text; None for files that are no tables."""
    suffix = Path(name).suffix
    try:
        if suffix == ".csv":
            return pd.read_csv(source, dtype=str, keep_default_na=False)
        if suffix == ".parquet":
            return pd.read_parquet(source).astype(str)
        if suffix in (".json", ".jsonl"):
            text = source.read_text() if isinstance(source, Path) else source.read().decode()
            records = json.loads(text) if suffix == ".json" else _lines(text)
            return pd.DataFrame(records).astype(str) if isinstance(records, list) else None
    except (ValueError, OSError):
        return None  # of another kind than its name says; not ours to judge
    return None


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _holds_labels(table: pd.DataFrame, truth: pd.DataFrame, keys: list[str], column: str) -> bool:
    """Whether a table tells the answers of all rows: the labels, not merely a guess at them."""
    if column not in truth or column not in table or truth[column].nunique() < 2:
        return False
    if not set(keys) <= set(table.columns):
        return table[column].tolist() == truth[column].tolist()
    known = table.drop_duplicates(keys).set_index(keys)[column]
    wanted = truth.drop_duplicates(keys).set_index(keys)[column]
    return bool(wanted.index.isin(known.index).all() and (known.loc[wanted.index] == wanted).all())
