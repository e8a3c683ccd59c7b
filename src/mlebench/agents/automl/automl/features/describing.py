"""What can be told of the content of a file in numbers, chosen by what sort of file it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from . import images, signals, sounds
from .lines import parse, statistics
from .points import common_labels, geometry, points_of

Describe = Callable[[bytes], Mapping[str, float]]
Prepare = Callable[[Sequence[bytes]], Describe | None]

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".dcm", ".dicom")
SOUNDS = (".wav", ".aif", ".aiff", ".aifc")
TEXTS = (".xyz", ".txt", ".dat", ".geom", ".cif", ".pdb", ".mol", ".log", ".out", "")


def prepared(suffix: str, samples: Sequence[bytes]) -> Describe | None:
    """How files of a kind are described; None if nothing can be told of them.

    Args:
        suffix: What their names end in.
        samples: The content of some of them.
    """
    for suffixes, prepare in _PREPARED:
        if suffix in suffixes:
            return prepare(samples)
    return None


def _texts(samples: Sequence[bytes]) -> Describe | None:
    groups = [parse(_text(content)) for content in samples]
    if not any(groups):
        return None
    known = [points for group in groups if (points := points_of(group)) is not None]
    if len(known) < len(samples) / 2:
        return lambda content: statistics(parse(_text(content)))
    labels = common_labels(known)
    scale = float(np.median([points.room for points in known])) ** (1 / 3)

    def describe(content: bytes) -> Mapping[str, float]:
        group = parse(_text(content))
        points = points_of(group)
        told = statistics(group)
        return told if points is None else told | geometry(points, labels, scale)

    return describe


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _always(describe: Describe) -> Prepare:
    def prepare(samples: Sequence[bytes]) -> Describe | None:
        return describe if any(_can(describe, content) for content in samples) else None

    return prepare


def _can(describe: Describe, content: bytes) -> bool:
    return bool(described(describe, content))


def described(describe: Describe, content: bytes) -> Mapping[str, float]:
    """What is told of a file; nothing of one that is damaged."""
    try:
        return describe(content)
    except Exception:  # each reader has its own ways to say that a file is damaged
        return {}


_PREPARED: tuple[tuple[tuple[str, ...], Prepare], ...] = (
    (PICTURES, _always(images.describe)),
    (SOUNDS, _always(sounds.describe)),
    ((".npy",), _always(signals.describe_array)),
    ((".csv",), _always(signals.describe_csv)),
    ((".parquet",), _always(signals.describe_parquet)),
    (TEXTS, _texts),
)
