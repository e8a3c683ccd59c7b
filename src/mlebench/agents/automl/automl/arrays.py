"""Arrays in files of their own: those of rows to learn from, of rows to predict, and of labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from .faults import told
from .keys import says
from .surface import near_surface

SUFFIX = ".npy"
FEWEST_ROWS = 4
SHARE_OF_TEST = 0.5
TRAIN, TEST = ("train",), ("test",)
LABELS = ("label", "target", "y_", "y.", "class")


@dataclass(frozen=True)
class Arrays:
    """What files of arrays say together.

    Attributes:
        train: The rows to learn from.
        labels: What each of them is.
        test: The rows to predict, in order.
    """

    train: pd.DataFrame
    labels: pd.Series
    test: pd.DataFrame


def read_arrays(data: Path, asked: int, memory: int, unread: list[str]) -> Arrays | None:
    """The arrays of a competition; None if there are none that belong together.

    Args:
        data: The public data.
        asked: How many rows are to be predicted.
        memory: How many bytes they may have. If they have more, some rows to learn from are left
            out at random.
        unread: Which files cannot be read, and why, is added to this.
    """
    found = {}
    for path in sorted(near_surface(data, lambda path: path.suffix.lower() == SUFFIX)):
        try:
            array = open_memmap(path, mode="r")  # it is read as it is needed
        except Exception as error:  # damaged files fail in many ways, and cost only themselves
            unread.append(f"{path.name} cannot be read: {told(error)}"[:200])
            continue
        if array.ndim:
            found[path] = array
    test = _first(data, {path: one for path, one in found.items() if len(one) == asked}, TEST)
    if test is None or test[1].nbytes > SHARE_OF_TEST * memory:
        return None
    shape = test[1].shape[1:]
    like_test = {
        path: one for path, one in found.items() if one.shape[1:] == shape and path != test[0]
    }
    train = _first(data, like_test, TRAIN)
    if not shape or train is None or len(train[1]) < FEWEST_ROWS:
        return None
    fitting = {path: one for path, one in found.items() if one.shape == (len(train[1]),)}
    labels = _first(data, fitting, LABELS)
    if labels is None:
        return None
    room = memory - test[1].nbytes
    rows = np.arange(len(train[1]))
    most = max(FEWEST_ROWS, int(room / max(train[1].nbytes / len(rows), 1)))
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(0).permutation(len(rows))[:most])
    column = pd.Series(np.asarray(labels[1])[rows])
    if column.dtype.kind not in "biuf":
        numbers = pd.to_numeric(column, errors="coerce")
        column = numbers if numbers.notna().all() else column
    return Arrays(_table(train[1][rows]), column, _table(test[1]))


def _first(
    data: Path, found: Mapping[Path, NDArray[np.generic]], words: Sequence[str]
) -> tuple[Path, NDArray[np.generic]] | None:
    """An array, one whose file is called by one of some words before others."""

    def rank(path: Path) -> tuple[int, int, Path]:
        said = (place for place, word in enumerate(words) if says(path, data, word))
        return next(said, len(words)), len(str(path)), path

    best = min(found, key=rank, default=None)
    return None if best is None else (best, found[best])


def _table(array: NDArray[np.generic]) -> pd.DataFrame:
    flat = np.asarray(array).reshape(len(array), -1)
    return pd.DataFrame(flat, columns=[f"value {place}" for place in range(flat.shape[1])])
