"""Bodies of voxels in stacks of pictures, and how far two of them are apart.

A body of half a million voxels differs from a good prediction of it in a thin skin, and only
the voxel that is farthest off counts. So voxels that both bodies have are left out, and those
right beside the other body are found by looking there. The rest is asked in blocks: a voxel
that speaks for its block is farther away than any other one there, but for the block's
diagonal, which rules most blocks out at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mlebench.metrics.masks import Integers, Masks

Shape = tuple[int, int, int]
Floats = npt.NDArray[np.float64]
Filled = npt.NDArray[np.bool_]

REACH = 4  # voxels within which it is looked for the other body
PATIENCE = 8  # looks, after which a quarter of the voxels should be done with
BLOCK_SIDES = (16, 8, 4, 2, 1)


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


def body_of(slices: Masks, height: int, width: int) -> Body:
    """The body that a stack of masks makes up; their pixels are numbered down the columns."""
    first, last = slices.starts // height, (slices.ends - 1) // height
    parts = np.maximum(last - first + 1, 0)  # a run may go on in the next column
    run = np.repeat(np.arange(len(parts)), parts)
    column = _stretches(first, parts)
    starts = np.maximum(slices.starts[run] - column * height, 0)
    ends = np.minimum(slices.ends[run] - column * height, height)
    return Body(slices.rows[run], column, starts, ends, (slices.row_count, width, height))


def bodies_of(slices: Masks, counts: Integers, heights: Integers, widths: Integers) -> list[Body]:
    """The bodies that stacks of masks make up, one stack after the other.

    Args:
        slices: The masks of all stacks; their pixels are numbered down the columns.
        counts: How many of them each stack has.
        heights: The height of each stack's pictures.
        widths: Their width.
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
        body_of(one, height, width)
        for one, height, width in zip(stacks, heights.tolist(), widths.tolist(), strict=True)
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
    one, other = box.paint(first), box.paint(second)
    searches = (_Search.begin(box, one, other), _Search.begin(box, other, one))
    farthest = max(search.look_around() for search in searches)
    # Both ways in turns: what is far one way spares asking for what is near the other way.
    for side in BLOCK_SIDES:
        for search in searches:
            farthest = search.ask_blocks(side, farthest)
    return farthest


@dataclass(frozen=True)
class _Box:
    """The box around two bodies, with room to look around on all sides."""

    origin: Integers
    shape: Shape
    scale: Floats

    @classmethod
    def around(cls, first: Body, second: Body, scale: tuple[float, float, float]) -> _Box:
        """A box that holds both."""
        lowest, highest = zip(*(_extremes(body) for body in (first, second)), strict=True)
        origin = np.min(lowest, axis=0) - REACH
        slices, columns, rows = (np.max(highest, axis=0) + 1 + REACH - origin).tolist()
        return cls(origin, (slices, columns, rows), np.array(scale))

    @property
    def steps(self) -> Integers:
        """How far apart the positions of neighbouring slices, columns and rows are."""
        _, columns, rows = self.shape
        return np.array([columns * rows, rows, 1])

    def paint(self, body: Body) -> Filled:
        """For each position in the box whether the body is there."""
        tops = np.stack([body.slices, body.columns, body.starts], axis=1) - self.origin
        filled = np.zeros(int(np.prod(self.shape)), bool)
        filled[_stretches(tops @ self.steps, body.ends - body.starts)] = True
        return filled

    def surface(self, filled: Filled) -> Integers:
        """The positions of a body that have a neighbour without it.

        Seen from outside, the nearest voxel of a body is always one of these.
        """
        margin = int(self.steps[0])
        is_surface = filled[margin:-margin].copy()
        is_inner = np.ones(len(is_surface), bool)
        for step in self.steps.tolist():
            is_inner &= filled[margin + step :][: len(is_inner)]
            is_inner &= filled[margin - step :][: len(is_inner)]
        is_surface &= ~is_inner
        return np.flatnonzero(is_surface) + margin

    def grid(self, positions: Integers) -> Integers:
        """Slices, columns and rows of positions; numpy's own way takes several times as long."""
        by_slice, by_column, _ = self.steps.tolist()
        slices = positions // by_slice
        inside = positions - slices * by_slice
        columns = inside // by_column
        return np.stack([slices, columns, inside - columns * by_column])

    def neighbours(self) -> tuple[list[int], list[float]]:
        """The steps to all voxels within reach, nearest first, and how far away they are."""
        reach = np.arange(-REACH, REACH + 1)
        around = np.stack(np.meshgrid(reach, reach, reach, indexing="ij")).reshape(3, -1).T
        distances = np.linalg.norm(around * self.scale, axis=1)
        order = np.argsort(distances)
        nearest = order[distances[order] <= REACH * self.scale.min()]
        return (around[nearest] @ self.steps).tolist(), distances[nearest].tolist()


@dataclass
class _Search:
    """The voxels of one body that may be the farthest from another one."""

    box: _Box
    other: Filled
    positions: Integers

    @classmethod
    def begin(cls, box: _Box, one: Filled, other: Filled) -> _Search:
        """All voxels of a body that the other one lacks."""
        return cls(box, other, np.flatnonzero(one & ~other))

    def look_around(self) -> float:
        """Drop voxels close to the other body; how far away the farthest of them is."""
        farthest = 0.0
        for looks, (step, distance) in enumerate(zip(*self.box.neighbours(), strict=True)):
            if looks % PATIENCE == 0:
                if looks and len(self.positions) > 0.75 * before:
                    break  # they are somewhere else
                before = len(self.positions)
            is_there = self.other[self.positions + step]
            if is_there.any():
                farthest = distance
                self.positions = self.positions[~is_there]
        return farthest

    def ask_blocks(self, side: int, farthest: float) -> float:
        """Let one voxel speak for each block, and drop blocks that cannot change the result."""
        if not len(self.positions):
            return farthest
        grid = self.box.grid(self.positions)
        block = self._blocks(grid // side, side)
        numbers = np.arange(len(block))
        speaker = np.empty(block.max() + 1, np.int64)
        speaker[block] = numbers
        speaks = speaker[block] == numbers
        distances, _ = self._tree.query(grid[:, speaks].T * self.box.scale)
        farthest = max(farthest, float(distances.max()))
        of_block = np.empty(len(speaker))
        of_block[block[speaks]] = distances
        diagonal = float(np.linalg.norm((side - 1) * self.box.scale))
        self.positions = self.positions[of_block[block] + diagonal > farthest]
        return farthest

    def _blocks(self, grid: Integers, side: int) -> Integers:
        """A number for each place in a grid of blocks."""
        _, columns, rows = (size // side + 1 for size in self.box.shape)
        return (grid[0] * columns + grid[1]) * rows + grid[2]

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        points = self.box.grid(self.box.surface(self.other)).T * self.box.scale
        # To balance the tree would take longer than the few questions that it is asked.
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
