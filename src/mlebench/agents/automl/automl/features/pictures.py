"""The one picture that each row has, as a small square, for learners that look at pixels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .columns import Column
from .describing import PICTURES
from .files import SAMPLES, SHARE_FOR_SAMPLES, order_of_rows
from .images import SMALL, loaded, squared
from .lists import known_of, side_of
from .locating import Kind
from .troves import contents
from .unread import Unread

Pixels = NDArray[np.uint8]

SHARE_WITH_ONE = 0.9
NEARLY_GREY = 6  # as far as channels of what was grey are apart after packing
FEWEST_KNOWN = 32
MOST_CHANNELS = 4


@dataclass(frozen=True)
class Squares:
    """Pictures of one size, of the rows to learn from and then of those to predict.

    Attributes:
        pixels: By row, then from above, from the left, and by channel; 0 where nothing is known.
        is_known: Which rows have a picture that could be read in time.
        is_shrunk: Whether something was lost because pictures are larger.
    """

    pixels: Pixels
    is_known: NDArray[np.bool_]
    is_shrunk: bool

    @property
    def side(self) -> int:
        """How high and wide they are."""
        return int(self.pixels.shape[1])


def pictures_among(kinds: Sequence[Kind]) -> Kind | None:
    """The first kind of pictures of which rows have just one; None if there is none."""
    for kind in kinds:
        counts = np.array([len(several) for several in kind.train + kind.test])
        if kind.suffix in PICTURES and np.mean(counts[counts > 0] == 1) >= SHARE_WITH_ONE:
            return replace(
                kind,
                train=[several[:1] for several in kind.train],
                test=[several[:1] for several in kind.test],
            )
    return None


def squares_of(
    data: Path, kind: Kind, sides: Sequence[int], size: int, seconds: float, seed: int,
    unread: Unread,
) -> Squares | None:  # fmt: skip
    """The pictures of rows; None if too few can be read.

    Rows to predict come first where there is no time for all.

    Args:
        data: The public data.
        kind: The pictures, one for each row that has any.
        sides: How large squares may be, in ascending order.
        size: How many bytes all of them together may have.
        seconds: How long it may take.
        seed: Decides which rows are left out.
        unread: Where pictures are noted that cannot be read.
    """
    begin = time.monotonic()
    entries = kind.train + kind.test
    order = order_of_rows(len(kind.train), len(kind.test), seed)
    looked_at = _Samples([])
    asked = [row for row in order if entries[row]]
    files = [entries[row][0] for row in asked]
    until = begin + SHARE_FOR_SAMPLES * seconds
    for place, content in contents(data, files[:SAMPLES], unread, until):
        with unread.noting(files[place].path):
            looked_at.look(content)
    channels = 3 if looked_at.has_colours else 1
    if not looked_at.sizes:
        return None
    source = int(np.median(looked_at.sizes))
    side = _fitting(sides, source, len(entries) * channels, size)
    if not side:
        return None
    squares = Squares(
        np.zeros((len(entries), side, side, channels), dtype=np.uint8),
        np.zeros(len(entries), dtype=bool),
        source > side,
    )
    mode = "RGB" if channels == 3 else "L"
    for place, content in contents(data, files, unread, begin + seconds):
        with unread.noting(files[place].path):
            square = squared(loaded(content, side)[0], side, mode)
            squares.pixels[asked[place]] = square.reshape(side, side, channels)
            squares.is_known[asked[place]] = True
    is_enough = squares.is_known[: len(kind.train)].sum() >= FEWEST_KNOWN
    return squares if is_enough else None


def columns_of_squares(columns: Sequence[Column]) -> list[str]:
    """Columns of lists that fill squares of one size, a channel each."""
    sides = {
        column.name: side_of(list(column.both)) for column in columns if column.holds == "signals"
    }
    usual = next((side for side in sides.values() if side), 0)
    return [name for name, side in sides.items() if usual and side == usual][:MOST_CHANNELS]


def squares_in_columns(
    columns: Sequence[Column], sides: Sequence[int], size: int
) -> Squares | None:
    """The pictures that columns hold, as light as most of each column are; None if too few do.

    Args:
        columns: One for each channel.
        sides: How large squares may be, in ascending order.
        size: How many bytes all of them together may have.
    """
    from PIL import Image

    cells = [list(column.both) for column in columns]
    source, rows = side_of(cells[0]), len(cells[0])
    side = _fitting(sides, source, rows * len(columns), size)
    if not side:
        return None
    pixels = np.zeros((rows, side, side, len(columns)), dtype=np.uint8)
    is_known = np.ones(rows, dtype=bool)
    for channel, column in enumerate(cells):
        told = [known_of(cell) for cell in column]
        some = [values for values in told if len(values)][:SAMPLES]
        low, high = np.quantile(np.concatenate(some), (0.005, 0.995))
        for row, values in enumerate(told):
            is_known[row] &= len(values) > 0
            if len(values):
                light = np.clip((values - low) / max(float(high - low), SMALL), 0, 1) * 255
                grey = light.astype(np.uint8).reshape(source, source)
                pixels[row, :, :, channel] = squared(Image.fromarray(grey), side, "L")
    is_enough = is_known[: len(columns[0].train)].sum() >= FEWEST_KNOWN
    return Squares(pixels, is_known, source > side) if is_enough else None


def _fitting(sides: Sequence[int], source: int, planes: int, size: int) -> int:
    """The least side in which nothing is lost, or the largest for which there is room; 0 if none.

    Args:
        sides: Those to choose from, in ascending order.
        source: That of the pictures as they are.
        planes: How many squares there are, over all channels.
        size: How many bytes there are.
    """
    fitting = [side for side in sides if planes * side * side <= size]
    return next((side for side in fitting if side >= source), fitting[-1] if fitting else 0)


@dataclass
class _Samples:
    """What is known of pictures after a look at some of them.

    Attributes:
        sizes: How high or wide each is, whichever is less.
        has_colours: Whether any is not grey.
    """

    sizes: list[int]
    has_colours: bool = False

    def look(self, content: bytes) -> None:
        """Look at one more."""
        side = 32
        picture, size, _ = loaded(content, side)
        colours = squared(picture, side, "RGB")
        self.sizes.append(min(size))
        self.has_colours |= int(np.ptp(colours, axis=-1).max()) > NEARLY_GREY
