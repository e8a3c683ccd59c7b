"""What all scores share: two sides that belong together, and means that may be of nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
First = TypeVar("First")
Second = TypeVar("Second")


def aligned(
    truth: npt.ArrayLike, predicted: npt.ArrayLike, dtype: npt.DTypeLike | None = None
) -> tuple[Array, Array]:
    """Both sides as arrays of one shape.

    Different shapes are refused, because numpy would stretch some of them until they fit.
    """
    pair = np.asarray(truth, dtype=dtype), np.asarray(predicted, dtype=dtype)
    shape, other = (side.shape for side in pair)
    if shape != other:
        raise ValueError(f"true values of shape {shape}, but predicted ones of shape {other}")
    return pair


def aligned_columns(
    truth: npt.ArrayLike, predicted: npt.ArrayLike, dtype: npt.DTypeLike | None = None
) -> tuple[Array, Array]:
    """Both sides as tables of one shape, a row a case."""
    pair = aligned(truth, predicted, dtype)
    if pair[0].ndim != 2:
        raise ValueError(f"rows and columns are needed, not values of shape {pair[0].shape}")
    return pair


def mean(values: Array) -> float:
    """The mean of all numbers; NaN if there are none."""
    return float(np.mean(values)) if values.size else float("nan")


def paired(actual: Iterable[First], predicted: Iterable[Second]) -> list[tuple[First, Second]]:
    """One case after the other, each with its truth and its prediction."""
    truths, guesses = list(actual), list(predicted)
    if len(truths) != len(guesses):
        raise ValueError(f"{len(truths)} true cases, but {len(guesses)} predicted ones")
    return [*zip(truths, guesses, strict=True)]


def mean_over_cases(
    score: Callable[[First, Second], float], actual: Iterable[First], predicted: Iterable[Second]
) -> float:
    """The mean score of all cases; NaN if there are none."""
    scores = [score(truth, guess) for truth, guess in paired(actual, predicted)]
    return sum(scores) / len(scores) if scores else float("nan")
