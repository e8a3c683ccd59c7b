"""Points in space with labels, periodic where the edges of a box are given: who is near whom.

Nothing is known of what points are. Distances are told apart by the labels of both ends, and
measured against the mean room that a point has.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .lines import Lines

Array = NDArray[np.float64]
Index = NDArray[np.int64]

MOST_POINTS = 3000
MOST_LABELS = 6
NEAREST = 40
RANKS = (1, 2, 3, 4, 6, 8, 12, 18)
REACH = 3.0
SHELL = 1.25
WIDTH = 0.1
SHELLS = np.arange(0.5, 2.05, WIDTH)
CORNERS = 8


@dataclass(frozen=True)
class Points:
    """Points of one file.

    Attributes:
        positions: Three coordinates each.
        labels: What each of them is.
        box: The three edges after which everything repeats; None if it does not.
    """

    positions: Array
    labels: tuple[str, ...]
    box: Array | None

    @property
    def room(self) -> float:
        """The volume that a point has on average."""
        if self.box is not None:
            return float(abs(np.linalg.det(self.box))) / len(self.positions)
        sides = np.maximum(np.ptp(self.positions, axis=0), 1e-6)
        return float(np.prod(sides + sides.max() / 10)) / len(self.positions)


def points_of(groups: list[Lines]) -> Points | None:
    """The labelled points of a file, if it has any."""
    labelled = [lines for lines in groups if lines.has_labels and lines.values.shape[1] == 3]
    if not labelled:
        return None
    lines = max(labelled, key=lambda group: len(group.values))
    edges = [
        group.values for group in groups if group.values.shape == (3, 3) and group is not lines
    ]
    box = edges[0] if len(edges) == 1 and abs(np.linalg.det(edges[0])) > 1e-6 else None
    return Points(lines.values[:MOST_POINTS], lines.labels[:MOST_POINTS], box)


def common_labels(files: list[Points]) -> tuple[str, ...]:
    """The labels that most points have, in order of the alphabet."""
    counts = Counter(label for points in files for label in points.labels)
    return tuple(sorted(label for label, _ in counts.most_common(MOST_LABELS)))


def geometry(points: Points, labels: tuple[str, ...], scale: float) -> dict[str, float]:
    """How points lie to each other, by name.

    Args:
        points: Of one file.
        labels: Those that are told apart.
        scale: The length that belongs to the usual room of a point.
    """
    told = {"room of a point": points.room}
    if points.box is not None:
        told |= _of_box(points.box)
    if len(points.positions) < 2:
        return told
    codes = np.array([labels.index(label) if label in labels else -1 for label in points.labels])
    distances, others, arrows = _neighbours(points)
    of_others = codes[others]
    told |= _ranks(labels, codes, distances)
    told |= _pairs(labels, codes, distances, of_others, scale)
    told |= _shells(labels, codes, distances, of_others)
    told |= _corners(labels, codes, distances, arrows)
    return told


def _of_box(box: Array) -> dict[str, float]:
    lengths = np.linalg.norm(box, axis=1)
    told = {"box volume": float(abs(np.linalg.det(box)))}
    for place, length in enumerate(np.sort(lengths)):
        told[f"box edge {place}"] = float(length)
    told["box edges, longest by shortest"] = float(lengths.max() / lengths.min())
    cosines = [
        float(box[a] @ box[b] / (lengths[a] * lengths[b])) for a, b in ((1, 2), (0, 2), (0, 1))
    ]
    for place, cosine in enumerate(cosines):
        told[f"box angle {place}"] = float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
    return told


def _neighbours(points: Points) -> tuple[Array, Index, Array]:
    """The nearest others of each point: how far, which, and in which direction."""
    from scipy.spatial import cKDTree

    positions = points.positions
    around, origin = positions, np.arange(len(positions))
    if points.box is not None:
        inverse = np.linalg.inv(points.box)
        inside = positions @ inverse % 1.0
        margin = REACH * points.room ** (1 / 3) * np.linalg.norm(inverse, axis=0)
        counts = np.minimum(np.ceil(margin).astype(int), 4)
        steps = itertools.product(*(range(-count, count + 1) for count in counts))
        moves = np.array(sorted(steps, key=lambda step: sum(map(abs, step))))
        repeated = (inside + moves[:, None]).reshape(-1, 3)
        near = ((repeated >= -margin) & (repeated <= 1 + margin)).all(axis=1)
        positions, around = inside @ points.box, repeated[near] @ points.box
        origin = np.tile(origin, len(moves))[near]
    count = min(NEAREST, len(around) - 1)
    distances, found = cKDTree(around).query(positions, count + 1)
    # The nearest one is the point itself, unless another one lies in the same place.
    distances, found = distances[:, 1:], found[:, 1:]
    return distances, origin[found], around[found] - positions[:, None]


def _ranks(labels: tuple[str, ...], codes: Index, distances: Array) -> dict[str, float]:
    """How far the nearest, second nearest and further ones are."""
    told = {}
    for rank in RANKS:
        if rank > distances.shape[1]:
            break
        column = distances[:, rank - 1]
        told[f"neighbour {rank} mean"] = float(column.mean())
        told[f"neighbour {rank} spread"] = float(column.std())
        for code, label in enumerate(labels):
            if (own := codes == code).any():
                told[f"neighbour {rank} of {label} mean"] = float(column[own].mean())
    told["neighbour 1 least"] = float(distances[:, 0].min())
    return told


def _pairs(
    labels: tuple[str, ...], codes: Index, distances: Array, of_others: Index, scale: float
) -> dict[str, float]:
    """How far the nearest one of each label is, and how many there are at which distance."""
    told = {}
    for one, other in itertools.product(range(len(labels)), repeat=2):
        name = f"{labels[one]} to {labels[other]}"
        own = codes == one
        far = np.where(of_others[own] == other, distances[own], np.inf)
        nearest = far.min(axis=1, initial=np.inf)
        nearest = nearest[np.isfinite(nearest)]
        if len(nearest):
            told[f"{name} mean"] = float(nearest.mean())
            told[f"{name} least"] = float(nearest.min())
            told[f"{name} most"] = float(nearest.max())
            told[f"{name} spread"] = float(nearest.std())
        if one <= other and own.any():
            for place, count in zip(SHELLS, _per_shell(far / scale), strict=True):
                told[f"{name} at {place:.1f}"] = float(count / len(codes))
    return told


def _per_shell(far: Array) -> Array:
    """How many distances are near each of some; those between two count for both in part."""
    at = (far[far < SHELLS[-1]] - SHELLS[0]) / WIDTH
    at = at[at >= 0]
    below = at.astype(np.int64)
    size = len(SHELLS)
    counts = np.bincount(below, 1 - at + below, size) + np.bincount(below + 1, at - below, size)
    return np.asarray(counts, dtype=float)


def _shells(
    labels: tuple[str, ...], codes: Index, distances: Array, of_others: Index
) -> dict[str, float]:
    """How many belong to the first shell around points, and of which labels they are."""
    near = distances <= SHELL * distances[:, :1]
    counts = near.sum(axis=1)
    told = {"shell mean": float(counts.mean()), "shell spread": float(counts.std())}
    for code, label in enumerate(labels):
        own = codes == code
        if not own.any():
            continue
        told[f"shell of {label} mean"] = float(counts[own].mean())
        told[f"shell of {label} spread"] = float(counts[own].std())
        far = np.where(near[own], distances[own], 0.0)
        mean = far.sum(axis=1) / counts[own]
        told[f"shell of {label} distance"] = float(mean.mean())
        apart = (far**2).sum(axis=1) / counts[own] - mean**2
        told[f"shell of {label} distance spread"] = float(np.sqrt(np.maximum(apart, 0)).mean())
        for size in range(1, 9):
            told[f"{label} with {size} around"] = float((counts[own] == size).sum() / len(codes))
        for other, around in enumerate(labels):
            both = near[own] & (of_others[own] == other)
            told[f"{around} around {label}"] = float(both.sum(axis=1).mean())
    return told


def _corners(
    labels: tuple[str, ...], codes: Index, distances: Array, arrows: Array
) -> dict[str, float]:
    """The angles under which points see those of their first shell."""
    size = min(CORNERS, distances.shape[1])
    if size < 2:
        return {}
    near = distances[:, :size] <= SHELL * distances[:, :1]
    arrows = arrows[:, :size] / np.maximum(distances[:, :size, None], 1e-9)
    cosines = np.einsum("nik,njk->nij", arrows, arrows)
    first, second = np.triu_indices(size, 1)
    is_corner = near[:, first] & near[:, second]
    cosines = np.clip(cosines[:, first, second], -1, 1)
    told = {}
    for code, label in enumerate(labels):
        seen = cosines[codes == code][is_corner[codes == code]]
        if len(seen):
            told[f"angles at {label} mean"] = float(seen.mean())
            told[f"angles at {label} spread"] = float(seen.std())
            counts, _ = np.histogram(seen, bins=8, range=(-1, 1))
            for place, count in enumerate(counts):
                told[f"angles at {label} part {place}"] = float(count / len(seen))
    return told
