"""Splitting rows into a training part and a held-out part.

The same rows in the same order as scikit-learn's ``train_test_split``, without its import.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np
import pandas as pd

T = TypeVar("T")


def partition_positions(rows: int, test_size: float, seed: int = 0) -> tuple[list[int], list[int]]:
    """Positions of the training and of the held-out rows, shuffled."""
    order = np.random.RandomState(seed).permutation(rows)
    held_out = math.ceil(test_size * rows)
    return order[held_out:].tolist(), order[:held_out].tolist()


def partition_rows(
    table: pd.DataFrame, test_size: float, seed: int = 0
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training and held-out rows of a table, in shuffled order."""
    train, test = partition_positions(len(table), test_size, seed)
    return table.iloc[train], table.iloc[test]


def partition_list(items: list[T], test_size: float, seed: int = 0) -> tuple[list[T], list[T]]:
    """Training and held-out items of a list, in shuffled order."""
    train, test = partition_positions(len(items), test_size, seed)
    return [items[position] for position in train], [items[position] for position in test]
