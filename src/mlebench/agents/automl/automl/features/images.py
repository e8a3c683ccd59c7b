"""Pictures in numbers, without any network: colours, edges, texture, and what is where."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .medical import pixels_of

Values = NDArray[np.float32]

SIDE, SIDE_OF_SMALL, SMALL_PICTURE = 96, 32, 32
CELLS, DIRECTIONS, COARSE, TINY_SIDE = 4, 8, 8, 4
QUANTILES = (0.1, 0.5, 0.9)
LEVELS = 3
RINGS = 8
SMALL = 1e-6
WIDE_GREY = ("I", "F", "I;16", "I;16B")
GREY = ("1", "L", *WIDE_GREY)
UNIFORM = np.array(
    [
        bin(code).count("1") if bin(code ^ (code >> 1 | (code & 1) << 7)).count("1") <= 2 else 9
        for code in range(256)
    ]
)


def describe(content: bytes) -> Mapping[str, float]:
    """What can be told of a picture."""
    picture, about = _opened(content)
    return about | of_colours(picture)


def _opened(content: bytes) -> tuple[Values, dict[str, float]]:
    """A picture as colours from 0 to 1 in a small square, and what was lost on the way."""
    picture, size, is_grey = loaded(content, SIDE)
    about = {
        "width": float(size[0]),
        "height": float(size[1]),
        "width by height": size[0] / max(size[1], 1),
        "bytes": float(len(content)),
        "bytes by area": len(content) / max(size[0] * size[1], 1),
        "is grey": float(is_grey),
    }
    side = SIDE_OF_SMALL if max(size) <= SMALL_PICTURE else SIDE
    small = squared(picture, side, "RGB")
    return np.asarray(small.astype(np.float32) / 255, dtype=np.float32), about


def loaded(content: bytes, side: int) -> tuple[Any, tuple[int, int], bool]:
    """A picture, its width and height, and whether it is grey.

    Args:
        content: The bytes of its file.
        side: What will be left of it; some formats are read faster if little is.
    """
    from PIL import Image

    if content[128:132] == b"DICM":
        picture = Image.fromarray(_stretched(pixels_of(content)))
        return picture, picture.size, True
    picture = Image.open(io.BytesIO(content))
    size, is_grey = picture.size, picture.mode in GREY
    picture.draft("RGB", (side, side))
    if picture.mode in WIDE_GREY:
        picture = Image.fromarray(_stretched(np.asarray(picture, dtype=np.float32)))
    return picture, size, is_grey


def squared(picture: Any, side: int, mode: str) -> NDArray[np.uint8]:
    """A picture as a small square in some mode."""
    from PIL import Image

    small = picture.convert(mode).resize((side, side), Image.Resampling.BOX, reducing_gap=2.0)
    return np.asarray(small, dtype=np.uint8)


def _stretched(values: NDArray[Any]) -> NDArray[np.uint8]:
    """Values of any size as those of a picture."""
    known = np.nan_to_num(np.asarray(values, dtype=np.float32))
    low, high = np.quantile(known, (0.005, 0.995))
    scaled = np.clip((known - low) / max(float(high - low), SMALL), 0, 1)
    return np.asarray(scaled * 255, dtype=np.uint8)


def of_colours(picture: Values) -> dict[str, float]:
    """What can be told of colours in a square.

    Args:
        picture: Red, green and blue from 0 to 1, in the last axis.
    """
    if (picture == picture[..., :1]).all():
        return of_grey(picture[..., 0])
    grey = picture @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
    hue = _hue(picture)
    told = _spreads(("red", "green", "blue"), picture)
    told |= _spreads(("saturation", "brightness"), hue[..., 1:])
    told |= _colour_counts(picture, hue)
    told |= of_grey(grey)
    return told | dict(_places("colour", _shrunk(picture, TINY_SIDE)))


def of_grey(grey: Values) -> dict[str, float]:
    """What can be told of one channel in a square, from 0 to 1."""
    told = _spreads(("grey",), grey[..., None])
    told |= dict(_places("grey", _shrunk(grey[..., None], COARSE)))
    told |= _edges(grey)
    told |= _patterns(grey)
    return told | _rings(grey) | _middle(grey)


def _spreads(names: Sequence[str], channels: Values) -> dict[str, float]:
    flat = np.ascontiguousarray(channels.reshape(-1, channels.shape[-1]).T)
    told: dict[str, float] = {}
    cuts = np.quantile(flat, QUANTILES, axis=1)
    means, spreads = flat.mean(axis=1), flat.std(axis=1)
    centred = flat - means[:, None]
    skews = (centred * centred * centred).mean(axis=1) / (spreads**3 + SMALL)
    for place, name in enumerate(names):
        told[f"{name} mean"] = float(means[place])
        told[f"{name} spread"] = float(spreads[place])
        told[f"{name} skew"] = float(skews[place])
        for quantile, cut in zip(QUANTILES, cuts, strict=True):
            told[f"{name} quantile {quantile:g}"] = float(cut[place])
    return told


def _hue(picture: Values) -> Values:
    """Hue, saturation and brightness, each from 0 to 1."""
    most, least = picture.max(axis=-1), picture.min(axis=-1)
    width = np.maximum(most - least, SMALL)
    red, green, blue = np.moveaxis(picture, -1, 0)
    sector = np.where(
        most == red,
        (green - blue) / width % 6,
        np.where(most == green, (blue - red) / width + 2, (red - green) / width + 4),
    )
    return np.stack([sector / 6, (most - least) / np.maximum(most, SMALL), most], axis=-1)


def _colour_counts(picture: Values, hue: Values) -> dict[str, float]:
    area = picture.shape[0] * picture.shape[1]
    sector = np.minimum((hue[..., 0] * 12).astype(int), 11).ravel()
    weights = (hue[..., 1] * hue[..., 2]).ravel()
    hues = np.bincount(sector, weights, 12) / area
    cubes = np.minimum((picture * 3).astype(int), 2) @ np.array([9, 3, 1])
    counts = np.bincount(cubes.ravel(), minlength=27) / area
    return {f"hue {place}": float(value) for place, value in enumerate(hues)} | {
        f"colours {place}": float(value) for place, value in enumerate(counts)
    }


def _shrunk(channels: Values, side: int) -> Values:
    step = channels.shape[0] // side
    cut = channels[: step * side, : step * side]
    return np.asarray(
        cut.reshape(side, step, side, step, -1).mean(axis=(1, 3)), dtype=np.float32
    )  # fmt: skip


def _places(name: str, channels: Values) -> Iterator[tuple[str, float]]:
    for place, value in np.ndenumerate(channels):
        yield f"{name} at {' '.join(map(str, place))}", float(value)


def _edges(grey: Values) -> dict[str, float]:
    """How strong edges are on several scales, and where they run in which direction."""
    told: dict[str, float] = {}
    level = grey
    for scale in range(LEVELS):
        down, right = (np.asarray(slope, dtype=np.float32) for slope in np.gradient(level))
        strength = np.asarray(np.hypot(down, right), dtype=np.float32)
        told[f"edges {scale} mean"] = float(strength.mean())
        told[f"edges {scale} spread"] = float(strength.std())
        told[f"edges {scale} most"] = float(np.quantile(strength, 0.98))
        around = level[1:-1, 1:-1] * 4 - level[:-2, 1:-1] - level[2:, 1:-1]
        around = around - level[1:-1, :-2] - level[1:-1, 2:]
        told[f"sharpness {scale}"] = float(around.std())
        if scale == 0:
            told |= _directions(down, right, strength)
        level = _shrunk(level[..., None], level.shape[0] // 2)[..., 0]
    return told


def _directions(down: Values, right: Values, strength: Values) -> dict[str, float]:
    angle = np.arctan2(down, right) % np.pi
    sector = np.minimum((angle / np.pi * DIRECTIONS).astype(int), DIRECTIONS - 1)
    side = strength.shape[0]
    cell = np.minimum(np.arange(side) * CELLS // side, CELLS - 1)
    codes = (cell[:, None] * CELLS + cell) * DIRECTIONS + sector
    counts = np.bincount(codes.ravel(), strength.ravel(), CELLS * CELLS * DIRECTIONS)
    counts = counts.reshape(CELLS * CELLS, DIRECTIONS)
    overall = counts.sum(axis=0) / max(float(counts.sum()), SMALL)
    lengths = np.sqrt((counts**2).sum(axis=1, keepdims=True))
    counts = counts / (lengths + 0.01 * strength.size / CELLS**2)
    told = {f"direction {place}": float(value) for place, value in enumerate(overall)}
    return told | dict(_places("directions", counts.astype(np.float32)))


def _patterns(grey: Values) -> dict[str, float]:
    """How often each pattern of lighter and darker neighbours occurs, on two scales."""
    told: dict[str, float] = {}
    for scale, level in enumerate((grey, _shrunk(grey[..., None], grey.shape[0] // 2)[..., 0])):
        centre = level[1:-1, 1:-1]
        code = np.zeros(centre.shape, dtype=np.int64)
        steps = ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0))
        for bit, (row, column) in enumerate(steps):
            rows, columns = centre.shape
            code |= (level[row : row + rows, column : column + columns] >= centre).astype(
                int
            ) << bit
        counts = np.bincount(UNIFORM[code].ravel(), minlength=10) / code.size
        told |= {f"pattern {scale} {place}": float(value) for place, value in enumerate(counts)}
    return told


def _rings(grey: Values) -> dict[str, float]:
    """How much is in coarse and in fine waves."""
    power = np.abs(np.fft.rfft2(grey - grey.mean())) ** 2
    rows = np.fft.fftfreq(grey.shape[0])[:, None]
    columns = np.fft.rfftfreq(grey.shape[1])
    ring = np.minimum((np.hypot(rows, columns) * 2 * RINGS).astype(int), RINGS)
    sums = np.bincount(ring.ravel(), power.ravel(), RINGS + 1)
    total = max(float(sums.sum()), SMALL)
    told = {f"waves {place}": float(np.log(s / total + 1e-8)) for place, s in enumerate(sums)}
    told["waves across by along"] = float(
        np.log((power[0].sum() + SMALL) / (power[:, 0].sum() + SMALL))
    )
    return told


def _middle(grey: Values) -> dict[str, float]:
    """How the middle differs from the rim, and one half from the other."""
    quarter = grey.shape[0] // 4
    inner = grey[quarter:-quarter, quarter:-quarter]
    half = grey.shape[0] // 2
    return {
        "middle against all": float(inner.mean() - grey.mean()),
        "middle spread": float(inner.std()),
        "left against right": float(grey[:, :half].mean() - grey[:, half:].mean()),
        "above against below": float(grey[:half].mean() - grey[half:].mean()),
        "unlike its mirror": float(np.abs(grey - grey[:, ::-1]).mean()),
    }
