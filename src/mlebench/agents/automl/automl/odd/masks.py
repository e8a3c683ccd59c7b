"""Masks as lengths of runs: none, or what most masks have at the same place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ..surface import is_plain_file
from ..tables import holds_containers
from .looking import Answer, Look, files_by_stem

RUNS = re.compile(r"\s*\d+ +\d+( +\d+ +\d+)*\s*")
MASKED = re.compile(r"mask|ink|label", re.IGNORECASE)
IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif")
SHARES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
MOST_MASKS, MOST_SIZES = 3000, 40
MOST_PIXELS = 16_000_000
Mask = NDArray[np.bool_]


def answers(look: Look) -> Iterator[Answer]:
    """The same mask for all rows of a class, where images are of one size."""
    output = look.outputs[-1] if len(look.outputs) <= 2 else ""
    output = next((name for name in look.outputs if _is_mask(look.sample[name])), output)
    if not output:
        return
    kind = next((name for name in look.outputs if name != output and _is_kind(look, name)), None)
    told = _from_tables(look, kind) or _from_files(look)
    if told is None:
        return
    size = _size(look)
    masks: dict[str, list[Mask]] = {}
    pixels = size or max(_last(text) for texts in told.values() for text in texts)
    if pixels > MOST_PIXELS:
        return
    most = max(4, min(MOST_MASKS, look.memory // 8 // max(pixels, 1)))
    for name, texts in told.items():
        masks[name] = [decoded(text, pixels) for text in texts[:most]]
    usual = look.sample[output].mode().iloc[0]
    plain = decoded(usual, pixels) if RUNS.fullmatch(usual) else np.zeros(pixels, dtype=bool)
    every = [mask for group in masks.values() for mask in group]
    before = likeness([(one, plain) for one in every])
    blank = "" if RUNS.fullmatch(usual) else usual
    empty = np.zeros(pixels, dtype=bool)
    score = likeness([(one, empty) for one in every])
    yield Answer("no mask", score, before, look.filled(**{output: blank}))
    if size is None:
        return
    made: dict[str, Mask] = {}
    pairs: list[tuple[Mask, Mask]] = []
    for name, group in masks.items():
        made[name] = usual_mask(group)
        for known, judged in ((group[::2], group[1::2]), (group[1::2], group[::2])):
            common = usual_mask(known) if known else empty
            pairs += [(one, common) for one in judged]
    written = {name: encoded(mask) or blank for name, mask in made.items()}
    column = look.sample[kind].map(written).fillna(blank) if kind else next(iter(written.values()))
    table = look.filled(**{output: column})
    yield Answer("what most masks have", likeness(pairs), before, table)


def _is_mask(column: pd.Series) -> bool:
    filled = column[column.str.len() > 1]
    return bool(len(filled)) and bool(filled.head(200).map(lambda t: bool(_runs(t))).all())


def _runs(text: str) -> bool:
    return RUNS.fullmatch(text) is not None


def _is_kind(look: Look, name: str) -> bool:
    """Whether a column of the sample says which class a mask is of."""
    return 1 < look.sample[name].nunique() < 50 and any(
        name in table.columns and look.sample[name].isin(table[name].astype(str)).all()
        for table in look.tables.values()
    )


def _from_tables(look: Look, kind: str | None) -> dict[str, list[str]] | None:
    """Masks in a column of a table, by class."""
    for _, table in look.called("train"):
        for name in table.columns:
            known = table[name].dropna()
            if known.dtype.kind in "biuf" or holds_containers(known):
                continue
            if len(known) and known.head(200).astype(str).map(_runs).all():
                if not known.head(200).astype(str).map(_is_increasing).all():
                    continue
                texts = table[name].where(table[name].notna(), "").astype(str)
                groups = table[kind].astype(str) if kind and kind in table else texts * 0
                return {str(group): list(part) for group, part in texts.groupby(groups)}
    return None


def _is_increasing(text: str) -> bool:
    numbers = np.array(text.split(), dtype=np.int64)
    return bool((np.diff(numbers[::2]) > 0).all()) and bool((numbers[1::2] > 0).all())


def _from_files(look: Look) -> dict[str, list[str]] | None:
    """Masks in files of their own that are called so; of one size each."""
    told = [
        text
        for path in _mask_files(look.data)[:MOST_MASKS]
        if (text := _encoded_file(path, look)) is not None
    ]
    return {"": told} if told else None


def _mask_files(data: Path) -> list[Path]:
    found = []
    for folder in sorted(data.iterdir()):
        if folder.is_dir() and "train" in folder.name.lower():
            for path in folder.rglob("*"):
                is_mask = MASKED.search(path.stem) and path.suffix.lower() in (".npy", *IMAGES)
                if is_mask and is_plain_file(path, data):
                    found.append(path)
    return found


def _encoded_file(path: Path, look: Look) -> str | None:
    """A mask file as lengths of runs, in the order of pixels that is told, or the usual one."""
    from PIL import Image

    if path.suffix.lower() == ".npy":
        values = np.squeeze(np.load(path, allow_pickle=False))
    else:
        Image.MAX_IMAGE_PIXELS = None
        with Image.open(path) as image:
            values = np.asarray(image)
    if values.ndim != 2 or values.size > MOST_PIXELS:
        return None
    by_row = re.search(r"left to right,? (?:and )?then (?:from )?top", look.description)
    return encoded((values > 0).ravel(order="C" if by_row else "F"))


def _last(text: str) -> int:
    numbers = [int(word) for word in text.split()]
    return numbers[-2] + numbers[-1] if numbers else 1


def decoded(text: str, pixels: int) -> Mask:
    """The mask of a text; runs begin with pixel 1."""
    mask = np.zeros(pixels, dtype=bool)
    numbers = np.array(text.split(), dtype=np.int64)
    for begin, length in zip(numbers[::2], numbers[1::2], strict=False):
        mask[begin - 1 : begin - 1 + length] = True
    return mask


def encoded(mask: Mask) -> str:
    """The text of a mask."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(np.int8), [0]])))
    begins, ends = edges[::2], edges[1::2]
    return " ".join(f"{b + 1} {e - b}" for b, e in zip(begins, ends, strict=True))


def likeness(pairs: list[tuple[Mask, Mask]]) -> float:
    """How alike masks are: of all, and of those that are not empty, which some scores only count.

    Twice what both have, of what each of them has; 1 if both have nothing.
    """
    each = [
        2 * float((one & other).sum()) / size
        if (size := int(one.sum()) + int(other.sum()))
        else 1.0
        for one, other in pairs
    ]
    filled = [score for score, (truth, _) in zip(each, pairs, strict=True) if truth.any()]
    return float(np.mean(each) + np.mean(filled or each)) / 2


def usual_mask(masks: list[Mask]) -> Mask:
    """The pixels that many masks have: as many as does best for these."""
    mean = np.zeros(len(masks[0]), dtype=np.float32)
    for mask in masks:
        mean += mask
    mean /= len(masks)
    tried = [np.zeros(len(mean), dtype=bool), *(mean >= share for share in SHARES)]
    return max(tried, key=lambda mask: likeness([(one, mask) for one in masks]))


def _size(look: Look) -> int | None:
    """How many pixels all images have, if they are of one size."""
    if {"height", "width"} <= set(look.outputs):
        sizes = set(zip(look.sample["height"], look.sample["width"], strict=True))
        high, wide = sizes.pop()
        return int(high) * int(wide) if not sizes else None
    found: Mapping[str, Path] = files_by_stem(look.data, IMAGES, "")
    asked = [stem for stem in look.sample[look.key].unique() if stem in found]
    if not asked:
        asked = list(found)
    from PIL import Image

    shapes = set()
    for stem in asked[:MOST_SIZES]:
        with Image.open(found[stem]) as image:
            shapes.add(image.size)
    if len(shapes) != 1:
        return None
    width, height = shapes.pop()
    return int(width * height)
