"""Run-length encoded masks: pixels count from 1, down the columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mlebench.errors import InvalidSubmissionError

__all__ = ["rle_decode", "rle_encode", "rles_to_masks"]

Mask = npt.NDArray[np.bool_]


def rle_decode(rle_string: str, height: int, width: int) -> Mask:
    """The mask behind pairs of start and length; blank text is an empty mask.

    Runs past the last pixel are cut. One lone number is an empty mask, and a third number
    borrows the only length: this is what the original makes of them.

    Raises:
        InvalidSubmissionError: The text is not a run-length encoding.
    """
    if not isinstance(rle_string, str):
        raise InvalidSubmissionError(f"A mask must be text, not {rle_string!r}.", code="bad_mask")
    flat = np.zeros(height * width, dtype=bool)
    try:
        for start, length in _runs(rle_string):
            run = flat[start - 1 : start - 1 + length]
            if run.any():
                raise ValueError(f"the run at {start} overlaps another one")
            run[:] = True
    except ValueError as error:
        raise InvalidSubmissionError(f"Bad mask: {error}.", code="bad_mask") from error
    return flat.reshape(width, height).T


def rle_encode(x: npt.ArrayLike, fg_val: Any = 1) -> list[int]:
    """Start, length, start, length, … of the pixels of an image that equal ``fg_val``."""
    image = np.asarray(x)
    if image.ndim != 2:
        raise ValueError(f"An image has two dimensions, not {image.ndim}.")
    painted = (image == fg_val).T.ravel()
    edges = np.flatnonzero(np.diff(painted, prepend=False, append=False)).reshape(-1, 2)
    runs = np.stack([edges[:, 0] + 1, edges[:, 1] - edges[:, 0]], axis=1)
    return [int(number) for number in runs.ravel()]


def rles_to_masks(
    rl_encodings: Iterable[str], image_heights: Iterable[int], image_widths: Iterable[int]
) -> list[Mask]:
    """The masks behind several texts, each with a height and a width of its own.

    Raises:
        InvalidSubmissionError: A text is not a run-length encoding.
    """
    sizes = zip(rl_encodings, image_heights, image_widths, strict=True)
    return [rle_decode(text, height, width) for text, height, width in sizes]


def _runs(text: str) -> Iterator[tuple[int, int]]:
    """Pairs of start and length, as Python's own numbers, which know no overflow."""
    numbers = [_whole_number(token) for token in text.split()]
    starts, lengths = numbers[0::2], numbers[1::2]
    if any(number < 1 for number in numbers):
        raise ValueError("starts and lengths must be positive")
    if starts != sorted(starts):
        raise ValueError("runs must be sorted by their start")
    if len(starts) == len(lengths) + 1 and len(starts) <= 2:
        lengths = lengths * 2 if lengths else []
        starts = starts[: len(lengths)]
    if len(starts) != len(lengths):
        raise ValueError("expected pairs of start and length")
    return zip(starts, lengths, strict=True)


def _whole_number(token: str) -> int:
    try:
        return int(token)
    except ValueError as error:
        raise ValueError(f"{token[:20]!r} is not a whole number") from error
