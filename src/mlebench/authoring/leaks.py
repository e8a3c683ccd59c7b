"""Answers among the public files: what participants must not be given."""

from __future__ import annotations

import gzip
import io
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath
from typing import IO, Any

import numpy as np
import pandas as pd

from mlebench.data.checksums import file_digest
from mlebench.submission import Submission

SEPARATORS = {".csv": ",", ".tsv": "\t"}
UNREADABLE = (
    ValueError,
    OSError,
    TypeError,
    RuntimeError,
    EOFError,
    zlib.error,
    zipfile.BadZipFile,
)


def leaks(public: Path, private: Path, answers: Path, declared: Submission) -> Iterator[str]:
    """Sentences about public files that give the answers away."""
    digests = {file_digest(path): path for path in _files(private) if path.stat().st_size}
    for path in _files(public):
        if twin := digests.get(file_digest(path)):
            yield f"{path.relative_to(public)} equals the private {twin.relative_to(private)}."
    truth = next((table for _, table in _tables(answers.name, answers)), None)
    if truth is None or not set(declared.keys) <= set(truth.columns):
        return
    hidden = [column.name for column in declared.columns if column.name not in declared.public]
    for path in _files(public):
        for name, table in _tables(path.relative_to(public).as_posix(), path):
            for column in hidden:
                if _holds_labels(table, truth, declared.keys, column):
                    yield f"{name} holds the answers' column {column!r}."


def _files(folder: Path) -> list[Path]:
    """All files that somebody finds in a folder, those behind links included."""
    found: list[Path] = []
    seen: set[str] = set()
    for place, below, names in os.walk(folder, followlinks=True):
        identity = os.path.realpath(place)
        if identity in seen:
            below.clear()  # a link that leads back
            continue
        seen.add(identity)
        found += [Path(place, name) for name in names]
    return sorted(path for path in found if path.is_file())


def _tables(name: str, source: Path | IO[bytes]) -> Iterator[tuple[str, pd.DataFrame]]:
    """The tables in a file that can be read, with their cells as text.

    A file of another kind than its name says is not ours to judge.
    """
    ending = PurePath(name).suffix.lower()
    with suppress(*UNREADABLE):
        if ending == ".zip":
            with zipfile.ZipFile(source) as archive:
                for member in archive.namelist():
                    yield from _tables(f"{name}/{member}", io.BytesIO(archive.read(member)))
        elif ending == ".gz":
            with gzip.open(source) as file:
                for _, table in _tables(name[: -len(ending)], io.BytesIO(file.read())):
                    yield name, table
        elif ending in SEPARATORS:
            separator = SEPARATORS[ending]
            table = pd.read_csv(
                source, dtype=str, keep_default_na=False, sep=separator, compression=None
            )
            yield name, table
        elif ending == ".parquet":
            yield name, pd.read_parquet(source).astype(str)
        elif ending in (".json", ".jsonl"):
            text = source.read_text() if isinstance(source, Path) else source.read().decode()
            document = json.loads(text) if ending == ".json" else _lines(text)
            for table in _tables_in_json(document):
                yield name, table.astype(str)


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _tables_in_json(document: Any) -> Iterator[pd.DataFrame]:
    """Lists of records, and columns of equal length, wherever they are in a document."""
    if isinstance(document, list) and all(isinstance(record, dict) for record in document):
        yield pd.DataFrame(document)
    if isinstance(document, dict):
        columns = list(document.values())
        for column in columns:
            yield from _tables_in_json(column)
        are_columns = all(isinstance(column, dict | list) for column in columns)
        if are_columns and len({len(column) for column in columns}) == 1:
            yield pd.DataFrame(document)


def _holds_labels(table: pd.DataFrame, truth: pd.DataFrame, keys: list[str], column: str) -> bool:
    """Whether a table tells the answers of all rows: the labels, not merely a guess at them."""
    if column not in truth or column not in table or truth[column].nunique() < 2:
        return False
    if not set(keys) <= set(table.columns):
        return _are_equal(table[column], truth[column])
    known = table.drop_duplicates(keys).set_index(keys)[column]
    wanted = truth.drop_duplicates(keys).set_index(keys)[column]
    is_complete = bool(wanted.index.isin(known.index).all())
    return is_complete and _are_equal(known.loc[wanted.index], wanted)


def _are_equal(labels: pd.Series[Any], truth: pd.Series[Any]) -> bool:
    """Whether cells are equal as text, or as numbers however many digits are written."""
    if len(labels) != len(truth):
        return False
    mine, theirs = (pd.to_numeric(cells, errors="coerce").to_numpy() for cells in (labels, truth))
    is_equal = (labels.to_numpy() == truth.to_numpy()) | np.isclose(mine, theirs, rtol=1e-6, atol=0)
    return bool(is_equal.all())
