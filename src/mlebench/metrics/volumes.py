"""Bodies of voxels in stacks of pictures, and how far two of them are apart.

A body of half a million voxels differs from a good prediction of it in a thin skin, and only
the voxel that is farthest off counts. So voxels that both bodies have are left out, and those
right beside the other body are found by looking there. What is left is divided into blocks:
how far the blocks of the other body are away rules most of them out, large ones first. Only
the voxels of the few that remain ask for the nearest voxel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mlebench.metrics.masks import Floats, Integers, Masks

Shape = tuple[int, int, int]
Filled = npt.NDArray[np.bool_]

REACH = 4  # voxels within which it is looked for the other body
LOOKS = 8  # at a time, which go on as long as so many voxels at most are left each time
WORTHWHILE = 0.75

SIDE = 4  # of a block in voxels, as many as there are bytes in a word of 32 bits
GROUPS = (4, 2, 1)  # blocks that are judged together, along each side
PARTS = (4, 2)  # voxels for which one asks, along each side
MANY_BLOCKS = 500  # to ask each for what is near to it takes longer than it spares
TINY = 1e-9  # more than rounding can make of a distance


class Body(NamedTuple):
    """Voxels as runs down the columns of slices."""

    slices: Integers
    columns: Integers
    starts: Integers
    """The topmost voxel of each run."""
    ends: Integers
    """The one below the lowest."""
    shape: Shape
    """How many slices, columns and rows there are."""


def body_of(slices: Masks, width: int, height: int) -> Body:
    """The body that a stack of masks makes up; their pixels are numbered down the columns."""
    first, last = slices.starts // height, (slices.ends - 1) // height
    parts = np.maximum(last - first + 1, 0)  # a run may go on in the next column
    run = np.repeat(np.arange(len(parts)), parts)
    column = _stretches(first, parts)
    starts = np.maximum(slices.starts[run] - column * height, 0)
    ends = np.minimum(slices.ends[run] - column * height, height)
    return Body(slices.rows[run], column, starts, ends, (slices.row_count, width, height))


def bodies_of(slices: Masks, counts: Integers, widths: Integers, heights: Integers) -> list[Body]:
    """The bodies that stacks of masks make up, one stack after the other.

    Args:
        slices: The masks of all stacks; their pixels are numbered down the columns.
        counts: How many of them each stack has.
        widths: The width of each stack's pictures.
        heights: Their height.
    """
    edges = np.concatenate([[0], np.cumsum(counts)])
    runs = np.searchsorted(slices.rows, edges).tolist()
    stacks = [
        Masks(slices.starts[begin:end], slices.ends[begin:end], slices.rows[begin:end] - row, count)
        for begin, end, row, count in zip(
            runs[:-1], runs[1:], edges[:-1].tolist(), counts.tolist(), strict=True
        )
    ]
    return [
        body_of(one, width, height)
        for one, width, height in zip(stacks, widths.tolist(), heights.tolist(), strict=True)
    ]


def voxel_count(body: Body) -> int:
    """The number of voxels in a body."""
    return int((body.ends - body.starts).sum())


def hausdorff(first: Body, second: Body, scale: tuple[float, float, float]) -> float:
    """How far the voxel of one body that is farthest from the other one is away from it.

    Args:
        first: A body that is not empty.
        second: Another one.
        scale: What a step from slice to slice, column to column and row to row counts.
    """
    box = _Box.around(first, second, scale)
    one, other = box.place(first), box.place(second)
    searches = (_Search(box, one, other), _Search(box, other, one))
    farthest = max(search.look_around() for search in searches)
    # Both ways in turns: what is far one way spares asking for what is near the other way.
    for side in GROUPS:
        for search in searches:
            farthest = search.judge_blocks(side, farthest)
    for side in PARTS:
        for search in searches:
            farthest = search.ask(side, farthest)
    return max(farthest, *(search.ask_all() for search in searches))


@dataclass(frozen=True)
class _Box:
    """The box around two bodies, with room to look around, and for whole blocks.

    Its places are numbered slice by slice, and within a slice down the columns.
    """

    origin: Integers
    shape: Shape
    scale: Floats

    @classmethod
    def around(cls, first: Body, second: Body, scale: tuple[float, float, float]) -> _Box:
        """A box that holds both."""
        lowest, highest = zip(*(_extremes(body) for body in (first, second)), strict=True)
        origin = np.min(lowest, axis=0) - REACH
        sizes = np.max(highest, axis=0) + 1 + REACH - origin
        slices, columns, rows = (-(-sizes // SIDE) * SIDE).tolist()
        return cls(origin, (slices, columns, rows), np.array(scale))

    @property
    def steps(self) -> Integers:
        """How far apart the numbers of neighbouring slices, columns and rows are."""
        _, columns, rows = self.shape
        return np.array([columns * rows, rows, 1])

    def place(self, body: Body) -> Filled:
        """For each place whether the body is there."""
        tops = np.stack([body.slices, body.columns, body.starts], axis=1) - self.origin
        is_filled = np.zeros(int(np.prod(self.shape)), bool)
        is_filled[_stretches(tops @ self.steps, body.ends - body.starts)] = True
        return is_filled

    def grid(self, places: Integers) -> Integers:
        """Slices, columns and rows; numpy's own way takes several times as long."""
        by_slice, by_column, _ = self.steps.tolist()
        slices = places // by_slice
        inside = places - slices * by_slice
        columns = inside // by_column
        return np.stack([slices, columns, inside - columns * by_column], axis=1)

    def blocks(self, is_filled: Filled) -> Integers:
        """Where the blocks are that have something filled, counted in blocks."""
        slices, columns, rows = (size // SIDE for size in self.shape)
        words = is_filled.view(np.uint32).reshape(slices * SIDE, columns, SIDE, rows)
        planes = np.bitwise_or.reduce(words, axis=2).reshape(slices, SIDE, columns, rows)
        return np.argwhere(np.bitwise_or.reduce(planes, axis=1))

    def places_in(self, blocks: Integers) -> Integers:
        """All places in some blocks."""
        inside = np.stack(np.unravel_index(np.arange(SIDE**3), (SIDE,) * 3), axis=1)
        places = (SIDE * blocks @ self.steps)[:, None] + inside @ self.steps
        return np.asarray(places.ravel())

    def middles(self, blocks: Integers, side: int = SIDE) -> Floats:
        """The middles of blocks of so many voxels along each side."""
        return np.asarray((blocks * side + (side - 1) / 2) * self.scale)

    def points(self, places: Integers) -> Floats:
        """Where voxels are."""
        return np.asarray(self.grid(places) * self.scale)

    def diagonal(self, side: int = SIDE) -> float:
        """How far apart two voxels of a block are at most."""
        return float(np.linalg.norm((side - 1) * self.scale))

    def neighbours(self) -> tuple[list[int], list[float]]:
        """The steps to all voxels within reach, nearest first, and how far away they are."""
        reach = np.arange(-REACH, REACH + 1)
        around = np.stack(np.meshgrid(reach, reach, reach, indexing="ij")).reshape(3, -1).T
        distances = np.linalg.norm(around * self.scale, axis=1)
        order = np.argsort(distances)
        nearest = order[distances[order] <= REACH * self.scale.min()]
        return (around[nearest] @ self.steps).tolist(), distances[nearest].tolist()


class _Search:
    """The voxels of one body that may be the farthest from another one."""

    def __init__(self, box: _Box, one: Filled, other: Filled) -> None:
        self._box, self._other = box, other
        self._lacking = one & ~other
        self._is_skin = 2 * np.count_nonzero(self._lacking) < np.count_nonzero(one)

    def look_around(self) -> float:
        """Drop voxels close to the other body; how far away the farthest of them is."""
        if not self._is_skin:
            return 0.0
        farthest, left = 0.0, np.flatnonzero(self._lacking)
        steps, distances = self._box.neighbours()
        for begin in range(0, len(steps), LOOKS):
            looks = slice(begin, begin + LOOKS)
            before = len(left)
            for step, distance in zip(steps[looks], distances[looks], strict=True):
                is_there = self._other[left + step]
                if is_there.any():
                    farthest = distance
                    left = left[~is_there]
            if len(left) >= WORTHWHILE * before:
                break
        self._lacking = np.zeros_like(self._lacking)
        self._lacking[left] = True
        return farthest

    @cached_property
    def _blocks(self) -> Integers:
        """The blocks that may matter."""
        return self._box.blocks(self._lacking)

    @cached_property
    def _other_blocks(self) -> Integers:
        return self._box.blocks(self._other)

    @cached_property
    def _rough_tree(self) -> Any:
        return _tree(self._box.middles(self._other_blocks))

    def judge_blocks(self, side: int, farthest: float) -> float:
        """Drop groups of blocks by how far the nearest block of the other body is away."""
        if not len(self._blocks):
            return farthest
        group = _numbers(self._blocks // side)
        speaks = _speakers(group)
        middles = self._box.middles(self._blocks[speaks] // side, side * SIDE)
        distances, _ = self._rough_tree.query(middles)
        # By how much a voxel may be nearer or farther than the middles.
        slack = (self._box.diagonal(side * SIDE) + self._box.diagonal()) / 2
        farthest = max(farthest, float(distances.max()) - slack)
        self._blocks = self._blocks[_of_all(distances, group, speaks) + slack > farthest]
        return farthest

    @cached_property
    def _left(self) -> Integers:
        """The voxels that may matter, once the blocks are judged."""
        places = self._box.places_in(self._blocks)
        return places[self._lacking[places]]

    @cached_property
    def _tree(self) -> Any:
        """The voxels of the other body that may be the nearest to one of those."""
        places = self._box.places_in(self._near_blocks())
        places = places[self._other[places]]
        # Seen from outside, the nearest voxel has a neighbour that the body lacks.
        is_inner = np.ones(len(places), bool)
        for step in self._box.steps.tolist():
            is_inner &= self._other[places + step] & self._other[places - step]
        return _tree(self._box.points(places[~is_inner]))

    def _near_blocks(self) -> Integers:
        if len(self._blocks) > MANY_BLOCKS:
            return self._other_blocks
        middles = self._box.middles(self._blocks)
        distances, _ = self._rough_tree.query(middles)
        # From the middle to a voxel, to the nearest one, which is as far away as the nearest
        # block allows, and to the middle of the block that this one is in.
        reach = distances + 2 * self._box.diagonal() + TINY
        found = np.concatenate(self._rough_tree.query_ball_point(middles, reach))
        return self._other_blocks[np.unique(found.astype(np.int64))]

    def ask(self, side: int, farthest: float) -> float:
        """Let one voxel speak for each part of a block, and drop parts that cannot matter."""
        if not len(self._left):
            return farthest
        part = _numbers(self._box.grid(self._left) // side)
        speaks = _speakers(part)
        distances, _ = self._tree.query(self._box.points(self._left[speaks]))
        farthest = max(farthest, float(distances.max()))
        at_most = _of_all(distances, part, speaks) + self._box.diagonal(side)
        self._left = self._left[at_most > farthest]
        return farthest

    def ask_all(self) -> float:
        """How far away the farthest voxel is that is left."""
        if not len(self._left):
            return 0.0
        return float(self._tree.query(self._box.points(self._left))[0].max())


def _numbers(grid: Integers) -> Integers:
    """A number for each row of whole numbers, equal for equal ones."""
    _, columns, rows = (grid.max(axis=0) + 1).tolist()
    return np.asarray(grid @ np.array([columns * rows, rows, 1]))


def _speakers(numbers: Integers) -> Filled:
    """One row of each number."""
    rows = np.arange(len(numbers))
    speaker = np.empty(numbers.max() + 1, np.int64)
    speaker[numbers] = rows
    return np.asarray(speaker[numbers] == rows)


def _of_all(values: Floats, numbers: Integers, speaks: Filled) -> Floats:
    """For each row the value of the one that speaks for its number."""
    known = np.empty(numbers.max() + 1)
    known[numbers[speaks]] = values
    return np.asarray(known[numbers])


def _tree(points: Floats) -> Any:
    from scipy.spatial import cKDTree

    # To balance it would take longer than the few questions that it is asked.
    return cKDTree(points, compact_nodes=False, balanced_tree=False)


def _extremes(body: Body) -> tuple[list[int], list[int]]:
    """The lowest and the highest slice, column and row of a body."""
    lowest = [body.slices.min(), body.columns.min(), body.starts.min()]
    return lowest, [body.slices.max(), body.columns.max(), body.ends.max() - 1]


def _stretches(starts: Integers, lengths: Integers) -> Integers:
    """Whole numbers from each start on, so many, one stretch after the other."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    numbers: Integers = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return numbers
