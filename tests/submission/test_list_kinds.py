"""Sequences, permutations, boxes, points and masks, cell by cell against plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.submission import (
    Boxes,
    Permutation,
    Points,
    RunLengths,
    WholeNumbers,
    flattened,
    refuse_boxes,
)
from tests.helpers import read_cells, refusal

NOTHING = pd.DataFrame()


class RefusedError(Exception):
    """The cell has no meaning."""


def meanings(cells: list[Any], decode: Any) -> list[Any]:
    """The meaning of each cell; `RefusedError` itself where there is none."""
    found = []
    for number, cell in enumerate(cells):
        try:
            found.append(decode(number, cell))
        except RefusedError:
            found.append(RefusedError)
    return found


def check(kind: Any, cells: list[str], public: pd.DataFrame, decode: Any, show: Any) -> None:
    """Compare with a decoder that gets the row number and what pandas read."""
    column = read_cells(cells)
    read = [None if pd.isna(cell) else cell for cell in column.tolist()]
    expected = meanings(read, decode)
    bad = {row for row, meaning in enumerate(expected, 1) if meaning is RefusedError}
    if bad:
        error = refusal(kind.parse, column, public)
        assert error.rows
        assert set(error.rows) <= bad
        assert error.column == "x"
    else:
        assert [show(value) for value in kind.parse(column, public)] == expected


def mostly(good: Any, odd: Any, size: int) -> Any:
    """Columns of good cells, often with an odd one among them."""
    columns = st.lists(good, min_size=size, max_size=size)
    return columns | st.tuples(columns, odd).map(lambda pair: [*pair[0][1:], pair[1]])


sequence_cells = st.sampled_from(["1", "2 3", "+4\t05", "1_0", "3.0", "", "x", "7 8,9", "  ", "٣"])


@given(mostly(st.sampled_from(["1", "2 3", "+4\t05", "1_0", " 6"]), sequence_cells, 3))
def test_sequences_are_read_as_python_does_after_the_cast(cells: list[str]) -> None:
    def decode(_: int, cell: Any) -> list[int]:
        text = "nan" if cell is None else str(cell)
        try:
            return [int(token) for token in text.split()]
        except ValueError:
            raise RefusedError from None

    check(WholeNumbers("x"), cells, NOTHING, decode, list)


def test_single_numbers_are_sequences_unless_a_cell_is_empty() -> None:
    assert [list(one) for one in WholeNumbers("x").parse(read_cells(["5", "07"]), NOTHING)] == [
        [5],
        [7],
    ]
    error = refusal(WholeNumbers("x").parse, read_cells(["5", "", "7"]), NOTHING)
    assert (error.code, error.rows) == ("bad_sequence", (1, 2, 3))


def test_sequences_may_be_empty_if_told_so() -> None:
    kind = WholeNumbers("x", missing="", stays_whole=True)
    assert [list(one) for one in kind.parse(read_cells(["5", "", "07"]), NOTHING)] == [[5], [], [7]]
    assert [list(one) for one in kind.parse(read_cells(["5 6", ""]), NOTHING)] == [[5, 6], []]
    assert refusal(kind.parse, read_cells(["5.5", "", "7"]), NOTHING).rows == (1,)


ITEMS = ["p q r", "s", "p q", "t t u"]


@given(st.data())
def test_permutations_hold_every_item_of_their_row_once(data: Any) -> None:
    orders = [data.draw(st.permutations(items.split())) for items in ITEMS]
    cells = ["\t ".join(order) for order in orders]
    if data.draw(st.booleans()):
        cells[data.draw(st.integers(0, 3))] = data.draw(st.text("pqrstu \t", max_size=6))
    public = pd.DataFrame({"items": ITEMS}, index=[7, 3, 5, 1])

    def decode(number: int, cell: Any) -> list[int]:
        tokens = ("nan" if cell is None else str(cell)).split()
        items: list[str | None] = list(ITEMS[number].split())
        if sorted(tokens) != sorted(ITEMS[number].split()):
            raise RefusedError
        places = []
        for token in tokens:  # equal items are taken in order
            places.append(items.index(token))
            items[places[-1]] = None
        return places

    check(Permutation("x", of="items"), cells, public, decode, list)


def test_refused_permutations_are_told_with_their_rows() -> None:
    kind = Permutation("x", of="items")
    public = pd.DataFrame({"items": ITEMS})
    good = ["r q p", "s", "q p", "u t t"]
    assert [list(order) for order in kind.parse(read_cells(good), public)] == [
        [2, 1, 0],
        [0],
        [1, 0],
        [2, 0, 1],
    ]
    for bad in ("q", "q q p", "q r", "", "q p r"):
        error = refusal(kind.parse, read_cells([*good[:2], bad, good[3]]), public)
        assert (error.code, error.rows) == ("bad_permutation", (3,))


PLACES = Boxes("x", fields=("name", "u", "v"), words=("name",))
LOOSE = Boxes("x", fields=("name", "u", "v"), words=("name",), single_blanks=False)
NEEDED = Boxes("x", fields=("u", "v"), may_be_empty=False)
SPELT_OUT = Boxes("x", fields=("u", "v"), single_blanks=False, may_be_missing=False)
STRICT = Boxes("x", fields=("name", "u", "v"), words=("name",), choices=("a", "b"), finite=("v",))

good_numbers = st.sampled_from(["1", "-2.5", "nan", "inf", "1e400", "1_0"])
good_boxes = st.lists(st.tuples(good_numbers, good_numbers).map(" ".join), min_size=1, max_size=3)
box_cells = st.lists(
    st.sampled_from(["a", "1", "-2.5", "nan", "inf", "1e400", "1_0", "", "x", "\t"]), max_size=7
).map(" ".join)


def box_of(kind: Boxes, cell: Any) -> list[tuple[Any, ...]]:
    """The boxes of one cell, as text; NaN does not equal itself."""
    if cell is None and not kind.may_be_missing:
        raise RefusedError
    text = "" if cell is None else cell
    if not isinstance(text, str):
        raise RefusedError
    tokens = text.split(" ") if kind.single_blanks else text.split()
    tokens = tokens if text.strip() else []
    size = len(kind.fields)
    if len(tokens) % size or (not tokens and not kind.may_be_empty):
        raise RefusedError
    try:
        return [
            tuple(
                token if field in kind.words else repr(float(token))
                for field, token in zip(kind.fields, tokens[start : start + size], strict=True)
            )
            for start in range(0, len(tokens), size)
        ]
    except ValueError:
        raise RefusedError from None


@pytest.mark.parametrize("kind", [PLACES, LOOSE, NEEDED, SPELT_OUT])
@given(st.data())
def test_boxes_are_groups_of_values(kind: Boxes, data: Any) -> None:
    name = "a " if kind.words else ""
    good = good_boxes.map(lambda boxes: " ".join(name + box for box in boxes))
    cells = data.draw(mostly(good, box_cells, 3))

    def show(boxes: np.ndarray) -> list[tuple[Any, ...]]:
        return [
            tuple(value if isinstance(value, str) else repr(float(value)) for value in box.item())
            for box in boxes
        ]

    check(kind, cells, NOTHING, lambda _, cell: box_of(kind, cell), show)


def test_fields_are_columns_of_the_parsed_boxes() -> None:
    (two, none) = PLACES.parse(read_cells(["a 1 2 b 3 nan", ""]), NOTHING)
    assert two["name"].tolist() == ["a", "b"]
    assert two["u"].tolist() == [1.0, 3.0]
    assert math.isnan(two["v"][1])
    assert len(none) == 0
    assert none["u"].dtype == float


def test_boxes_of_all_cells_stand_one_after_the_other() -> None:
    boxes, rows = flattened(PLACES.parse(read_cells(["a 1 2 b 3 4", "", "c 5 6"]), NOTHING))
    assert boxes["u"].tolist() == [1.0, 3.0, 5.0]
    assert boxes["name"].tolist() == ["a", "b", "c"]
    assert rows.tolist() == [0, 0, 2]
    none, _ = flattened(PLACES.parse(read_cells(["", ""]), NOTHING))
    assert none["u"].tolist() == []


def test_marked_boxes_are_refused_with_the_first_of_each_cell() -> None:
    cells = PLACES.parse(read_cells(["a 1 2", "b 3 4 c 5 6 d 7 8", "e 9 9"]), NOTHING)
    refuse_boxes("x", "too far", cells, np.zeros(5, bool))
    error = refusal(refuse_boxes, "x", "too far", cells, np.array([0, 0, 1, 1, 1], bool))
    assert (error.code, error.rows) == ("bad_boxes", (2, 3))
    assert "too far" in str(error)
    assert "5.0" in str(error)
    assert "7.0" not in str(error)


@pytest.mark.parametrize(
    ("kind", "cell", "code", "words"),
    [
        (PLACES, "a 1", "bad_boxes", "3 values for each box, separated by single blanks"),
        (PLACES, "a 1 2 ", "bad_boxes", "single blanks"),
        (PLACES, "a  2", "bad_boxes", "u must be a number"),
        (LOOSE, "a 1 2 3", "bad_boxes", "separated by blanks"),
        (NEEDED, "", "bad_boxes", "every row needs a box"),
        (NEEDED, " ", "bad_boxes", "every row needs a box"),
        (SPELT_OUT, "", "missing_value", "every row needs a box"),
        (STRICT, "b inf 2 a 1 nan", "bad_boxes", "v must be finite"),
        (STRICT, "a 1 2 A 1 2", "bad_boxes", "name must be one of a, b"),
        (Points("x", fields=("u", "v")), "1 x", "bad_points", "v must be a number"),
        (Points("x", fields=("u", "v")), "1", "bad_points", "for each point"),
    ],
)
def test_refused_boxes_are_told_with_their_rows_and_reason(
    kind: Boxes, cell: str, code: str, words: str
) -> None:
    good = " ".join("a" if field in kind.words else "1" for field in kind.fields)
    error = refusal(kind.parse, read_cells([good, cell, good]), NOTHING)
    assert (error.code, error.rows) == (code, (2,))
    assert words in str(error)


SALT = RunLengths("x", pixels=12, odd_counts=True)
SIZED = RunLengths("x", size=("high", "wide"))
CONTRAILS = RunLengths("x", size=("high", "wide"), empty="-", may_be_missing=False, odd_counts=True)
INK = RunLengths("x", size=("high", "wide"), may_be_missing=False)
SHAPES = pd.DataFrame({"high": [1, 3, 2, 5], "wide": [1, 4, 6, 1]}, index=[9, 8, 7, 6])


def mask_of(kind: RunLengths, pixels: int, cell: Any) -> set[int]:
    """The pixels that one cell paints, one run after the other."""
    if cell is None and not kind.may_be_missing:
        raise RefusedError
    text = "" if cell is None else cell
    if not isinstance(text, str):
        raise RefusedError
    try:
        numbers = [] if text == kind.empty else [int(token) for token in text.split()]
    except ValueError:
        raise RefusedError from None
    if kind.odd_counts and len(numbers) in (1, 3):
        if min(numbers) < 1:
            raise RefusedError
        numbers = [] if len(numbers) == 1 else [*numbers, numbers[1]]
    starts, lengths = numbers[0::2], numbers[1::2]
    if len(starts) != len(lengths) or min(numbers, default=1) < 1 or starts != sorted(starts):
        raise RefusedError
    painted: set[int] = set()
    for start, length in zip(starts, lengths, strict=True):
        run = set(range(start - 1, min(start - 1 + length, pixels)))
        if run & painted:
            raise RefusedError
        painted |= run
    return painted


numbers = st.sampled_from(["0", "1", "2", "3", "4", "5", "6", "7", "9", "11", "13", "-1", "+2"])
odd_numbers = st.sampled_from(["1.0", "x", "-", "٣", "1_1", str(10**19), "9" * 5000])
steps = st.tuples(st.integers(0, 3), st.integers(1, 3))


def as_runs(gaps_and_lengths: list[tuple[int, int]]) -> str:
    position, text = 1, []
    for gap, length in gaps_and_lengths:
        text.append(f"{position + gap} {length}")
        position += gap + length
    return " ".join(text)


good_masks = st.lists(steps, min_size=1, max_size=4).map(as_runs)
mask_cells = (
    st.lists(numbers, max_size=6).map(" ".join)
    | st.lists(numbers | odd_numbers, max_size=5).map("\t ".join)
    | st.sampled_from(["", "-", "- ", " ", "1 1 3 1", "1 2 5 2", "2 1 4"])
)


@pytest.mark.parametrize("kind", [SALT, SIZED, CONTRAILS, INK])
@given(mostly(good_masks, mask_cells, 4))
def test_masks_paint_the_listed_pixels_of_images_of_their_size(
    kind: RunLengths, cells: list[str]
) -> None:
    areas = (SHAPES["high"] * SHAPES["wide"]).tolist() if kind.size else [kind.pixels] * 4

    def show(runs: np.ndarray) -> set[int]:
        return {pixel for start, end in runs.tolist() for pixel in range(start, end)}

    check(kind, cells, SHAPES, lambda row, cell: mask_of(kind, areas[row], cell), show)


@pytest.mark.parametrize(
    ("kind", "cell", "words"),
    [
        (CONTRAILS, "", "an empty mask is `-`"),
        (INK, "", "every row needs a mask"),
        (CONTRAILS, "- ", "whole numbers"),
        (SIZED, "-", "whole numbers"),
        (SIZED, "1 1 3", "pairs"),
        (SALT, "1 1 3 1 5", "pairs"),
    ],
)
def test_refused_masks_are_told_with_their_rows_and_reason(
    kind: RunLengths, cell: str, words: str
) -> None:
    error = refusal(kind.parse, read_cells(["1 1", "1 2", cell, "1 1"]), SHAPES)
    assert error.rows == (3,)
    assert words in str(error)


def test_a_single_number_in_every_cell_is_no_mask() -> None:
    assert refusal(SALT.parse, read_cells(["1", "2"]), NOTHING).code == "not_text"
