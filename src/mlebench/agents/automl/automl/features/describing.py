"""What can be told of the content of a file in numbers, chosen by what sort of file it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from . import images, signals, sounds
from .lines import parse, statistics
from .points import common_labels, geometry, points_of
from .unread import Unread

Describe = Callable[[bytes], Mapping[str, float]]
Samples = Mapping[str, bytes]
Prepare = Callable[[Samples, Unread], Describe | None]

PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp", ".dcm", ".dicom")
SOUNDS = (".wav", ".aif", ".aiff", ".aifc")
TEXTS = (".xyz", ".txt", ".dat", ".geom", ".cif", ".pdb", ".mol", ".log", ".out", "")


def prepared(suffix: str, samples: Samples, unread: Unread) -> Describe | None:
    """How files of a kind are described; None if nothing can be told of them.

    Args:
        suffix: What their names end in.
        samples: The content of some of them, by path.
        unread: Where those are noted that are damaged.
    """
    for suffixes, prepare in _PREPARED:
        if suffix in suffixes:
            return prepare(samples, unread)
    return None


def _texts(samples: Samples, _: Unread) -> Describe | None:
    groups = [parse(_text(content)) for content in samples.values()]
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
    def prepare(samples: Samples, unread: Unread) -> Describe | None:
        told = (described(describe, path, content, unread) for path, content in samples.items())
        return describe if any(told) else None

    return prepare


def described(describe: Describe, path: str, content: bytes, unread: Unread) -> Mapping[str, float]:
    """What is told of a file; nothing of one that is damaged."""
    with unread.noting(path):
        return describe(content)
    return {}


_PREPARED: tuple[tuple[tuple[str, ...], Prepare], ...] = (
    (PICTURES, _always(images.describe)),
    (SOUNDS, _always(sounds.describe)),
    ((".npy",), _always(signals.describe_array)),
    ((".csv",), _always(signals.describe_csv)),
    ((".parquet",), _always(signals.describe_parquet)),
    (TEXTS, _texts),
)
