"""The features of the files that belong to rows, in columns beside those of tables."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..problem import Problem
from .describing import described, prepared
from .frame import Frame
from .locating import Kind, locate, names_of_files
from .troves import Entry, contents, entries
from .unread import Unread

SAMPLES = 40
FILES_A_ROW = 3
SHARE_FOR_SAMPLES = 0.25  # of the time; on a tape they may be far apart
MOST_COLUMNS = 1500
LEAST_SHARE = 0.02
ALIKE = 0.98
ROWS_COMPARED = 5000
COUNT = " files"


def files_of_problem(problem: Problem, unread: Unread) -> list[Kind]:
    """The files of the rows of a problem; none if nothing says where they are."""
    if problem.data is None:
        return []
    known, asked = names_of_files(problem.train_ids, problem.test_ids, problem.train, problem.test)
    return locate(entries(problem.data, unread), known, asked)


def frame_of_files(
    data: Path, kinds: Sequence[Kind], rows: int, seconds: float, seed: int, unread: Unread
) -> Frame:
    """What files tell of rows.

    Rows to predict come first where there is no time for all; what is not known of the others is
    missing.

    Args:
        data: The public data.
        kinds: The files of rows.
        rows: How many rows are to be learned from.
        seconds: How long it may take.
        seed: Decides which rows are left out.
        unread: Where files are noted that cannot be read.
    """
    frame = Frame(rows)
    until = time.monotonic() + seconds
    for place, kind in enumerate(kinds):
        several = np.array([len(entries) for entries in kind.train + kind.test])
        if several.max(initial=0) > 1:
            frame.add(f"{kind.name}{COUNT}", several)
        share = (until - time.monotonic()) / (len(kinds) - place)
        for name, values in _different(_columns(data, kind, share, seed, unread)).items():
            frame.add(f"{kind.name} {name}", values)
    return frame


def described_rows(frame: Frame) -> NDArray[np.bool_]:
    """Of which rows files tell anything but how many they are, which needs no reading."""
    columns = zip(frame.names, frame.columns, strict=True)
    told = [np.isfinite(values) for name, values in columns if not name.endswith(COUNT)]
    return np.logical_or.reduce(told) if told else np.ones(frame.size, dtype=np.bool_)


def _columns(
    data: Path, kind: Kind, seconds: float, seed: int, unread: Unread
) -> dict[str, NDArray[np.float32]]:
    """What the files of one kind tell, by name."""
    begin = time.monotonic()
    entries = [_some(several) for several in kind.train + kind.test]
    order = order_of_rows(len(kind.train), len(kind.test), seed)
    some = [entries[row][0] for row in order if entries[row]][:SAMPLES]
    until = begin + SHARE_FOR_SAMPLES * seconds
    samples = {some[one].path: content for one, content in contents(data, some, unread, until)}
    describe = prepared(kind.suffix, samples, unread)
    if describe is None:
        return {}
    table = _Table(len(entries))
    asked = [(row, entry) for row in order for entry in entries[row]]
    files = [entry for _, entry in asked]
    for place, content in contents(data, files, unread, begin + seconds):
        row, entry = asked[place]
        table.tell(row, described(describe, entry.path, content, unread))
    return table.columns()


def _different(columns: dict[str, NDArray[np.float32]]) -> dict[str, NDArray[np.float32]]:
    """Columns without those that say nearly the same as one before them."""
    if len(columns) < 2:
        return columns
    names = list(columns)
    matrix = np.column_stack([columns[name] for name in names])[:ROWS_COMPARED].astype(np.float64)
    known = np.isfinite(matrix)
    counts = np.maximum(known.sum(axis=0), 1)
    centred = np.where(known, matrix, 0.0)
    centred = np.where(known, matrix - centred.sum(axis=0) / counts, 0.0)
    lengths = np.sqrt((centred**2).sum(axis=0))
    alike = np.abs(centred.T @ (centred / np.where(lengths > 0, lengths, 1.0)))
    alike /= np.where(lengths > 0, lengths, 1.0)[:, None]
    kept: list[int] = []
    for place in range(len(names)):
        if lengths[place] > 0 and (not kept or alike[place, kept].max() < ALIKE):
            kept.append(place)
    return {names[place]: columns[names[place]] for place in kept}


def _some(several: Sequence[Entry]) -> Sequence[Entry]:
    """A few of the files of a row, at even distances."""
    if len(several) <= FILES_A_ROW:
        return several
    places = np.linspace(0, len(several) - 1, FILES_A_ROW + 2)[1:-1]
    return [several[round(place)] for place in places]


def order_of_rows(known: int, asked: int, seed: int) -> list[int]:
    """All rows: first a few of both, then those to predict, then the others by lot."""
    learned = np.random.default_rng(seed).permutation(known)
    predicted = np.arange(known, known + asked)
    few = SAMPLES // 2
    order = np.concatenate([predicted[:few], learned[:few], predicted[few:], learned[few:]])
    return [int(row) for row in order]


class _Table:
    """Columns that are known by and by; several files of a row count as their mean."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._places: dict[str, int] = {}
        self._told: list[tuple[NDArray[np.int64], NDArray[np.float32]] | None] = [None] * rows
        self._several: dict[int, list[Mapping[str, float]]] = {}

    def tell(self, row: int, told: Mapping[str, float]) -> None:
        """Take what a file of a row tells."""
        if not told:
            return
        if self._told[row] is not None:
            before = self._several.setdefault(row, [self._as_told(row)])
            before.append(told)
            told = {
                name: float(np.mean([one[name] for one in before if name in one]))
                for name in dict.fromkeys(name for one in before for name in one)
            }
        places = [self._places.setdefault(name, len(self._places)) for name in told]
        self._told[row] = np.array(places), np.array(list(told.values()), dtype=np.float32)

    def _as_told(self, row: int) -> Mapping[str, float]:
        told = self._told[row]
        names = list(self._places)
        return {} if told is None else {
            names[place]: float(value) for place, value in zip(*told, strict=True)
        }  # fmt: skip

    def columns(self) -> dict[str, NDArray[np.float32]]:
        """What is told of all rows; counts and shares that a file does not name are 0."""
        names = list(self._places)
        values = np.full((self._rows, len(names)), np.nan, dtype=np.float32)
        counts = [place for place, name in enumerate(names) if name.endswith((" count", " share"))]
        for row, told in enumerate(self._told):
            if told is not None:
                values[row, counts] = 0.0
                values[row, told[0]] = told[1]
        known = max(1, sum(told is not None for told in self._told))
        values[~np.isfinite(values)] = np.nan
        share = np.isfinite(values).sum(axis=0) / known
        kept = [place for place in np.argsort(-share, kind="stable") if share[place] >= LEAST_SHARE]
        return {names[place]: values[:, place] for place in kept[:MOST_COLUMNS]}
