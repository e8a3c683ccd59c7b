"""Run-length encoded masks: pixels count from 1, down the columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.metrics.masks import paint, runs_of
from mlebench.submission import RunLengths

__all__ = ["rle_decode", "rle_encode", "rles_to_masks"]

Mask = npt.NDArray[np.bool_]

_MASK = RunLengths("mask", size=("height", "width"), odd_counts=True)


def rle_decode(rle_string: str, height: int, width: int) -> Mask:
    """The mask behind pairs of start and length; blank text is an empty mask.

    Runs past the last pixel are cut. One lone number is an empty mask, and a third number
    borrows the only length: this is what the original makes of them.

    Raises:
        InvalidSubmissionError: The text is not a run-length encoding.
    """
    return rles_to_masks([rle_string], [height], [width])[0]


def rles_to_masks(
    rl_encodings: Iterable[str], image_heights: Iterable[int], image_widths: Iterable[int]
) -> list[Mask]:
    """The masks behind several texts, each with a height and a width of its own.

    Raises:
        InvalidSubmissionError: A text is not a run-length encoding.
    """
    texts, heights, widths = list(rl_encodings), list(image_heights), list(image_widths)
    for text in texts:
        if not isinstance(text, str):
            raise InvalidSubmissionError(f"A mask must be text, not {text!r}.", code="bad_mask")
    cells = pd.Series(texts, name="mask", dtype=object)
    masks = _MASK.parse(cells, pd.DataFrame({"height": heights, "width": widths}))
    return [
        paint(runs, height * width).reshape(width, height).T
        for runs, height, width in zip(masks, heights, widths, strict=True)
    ]


def rle_encode(x: npt.ArrayLike, fg_val: Any = 1) -> list[int]:
    """Start, length, start, length, … of the pixels of an image that equal ``fg_val``."""
    image = np.asarray(x)
    if image.ndim != 2:
        raise ValueError(f"An image has two dimensions, not {image.ndim}.")
    runs = runs_of((image == fg_val).T)
    return [int(number) for start, end in runs for number in (start + 1, end - start)]
