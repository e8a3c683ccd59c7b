"""Whether pictures may be mirrored: those of digits may not, those of galaxies may."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..problem import Array

Pixels = NDArray[np.uint8]

COARSE = 8
TELLING, NEARLY_AS_GOOD = 0.1, 0.8


@dataclass(frozen=True)
class Mirrors:
    """Which mirrors leave the target of a picture as it is.

    Attributes:
        across: Whether left and right may change places.
        down: Whether above and below may.
    """

    across: bool
    down: bool


def harmless_mirrors(pixels: Pixels, target: Array) -> Mirrors:
    """Find out by the pictures that are most alike.

    Where these have a similar target, those most like the mirrored picture must have it nearly as
    often. Where being alike tells nothing, pictures in colours are taken for photographs, of which
    left and right may change places.

    Args:
        pixels: Pictures by row, then from above, from the left, and by channel.
        target: Numbers, marks, or a column for each class.
    """
    coarse = _coarse(pixels)
    centred = target - target.mean(axis=0)
    centred = centred / np.where(centred.std(axis=0) > 0, centred.std(axis=0), 1.0)
    plain = _agreement(coarse, coarse, centred)
    if plain < TELLING:
        return Mirrors(across=pixels.shape[-1] == 3, down=False)
    across = _agreement(coarse[:, :, ::-1], coarse, centred)
    down = _agreement(coarse[:, ::-1], coarse, centred)
    return Mirrors(across >= NEARLY_AS_GOOD * plain, down >= NEARLY_AS_GOOD * plain)


def _coarse(pixels: Pixels) -> Array:
    step = max(pixels.shape[1] // COARSE, 1)
    side = pixels.shape[1] // step
    cut = pixels[:, : side * step, : side * step].astype(np.float64)
    return np.asarray(cut.reshape(len(pixels), side, step, side, step, -1).mean(axis=(2, 4)))


def _agreement(asked: Array, known: Array, target: Array) -> float:
    """How far the target of each picture goes with that of the other one that is most like it."""
    one, other = asked.reshape(len(asked), -1), known.reshape(len(known), -1)
    distance = (other**2).sum(axis=1) - 2 * one @ other.T
    np.fill_diagonal(distance, np.inf)
    nearest = distance.argmin(axis=1)
    return float((target * target[nearest]).sum() / max(float((target**2).sum()), 1e-9))
