"""Every matching, against plain pandas that follows the words of the fact sheets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import MATCHINGS, Join, Matching, Pooled
from mlebench.submission.keys import KeyTable
from mlebench.submission.matching import AtLeastAsked, AtMostAsked, SortedOnly
from tests.submission.pandas_matchings import (
    ORACLES,
    WITH_REPEATED_ANSWERS,
    Pairs,
    RefusedError,
)

every_matching = pytest.mark.parametrize("matching", MATCHINGS, ids=lambda kind: kind.__name__)
ARROW_TEXT = pd.ArrowDtype(pa.string())

# What ids look like: how to write the number of one, and the type they are read with.
LOOKS: dict[str, tuple[Any, Any]] = {
    "text": (lambda number: f"id_{number:03}", object),
    "arrow": (lambda number: f"id_{number:03}", ARROW_TEXT),
    "long": (lambda number: "a comment " * 9 + str(number), ARROW_TEXT),
    "whole": (lambda number: number * 3 - 5, np.int64),
    "float": (lambda number: number / 2 - 1, np.float64),
}
looks = st.sampled_from(sorted(LOOKS))


def keys(numbers: list[int | None], look: str) -> pd.DataFrame:
    write, kind = LOOKS[look]
    cells = [None if number is None else write(number) for number in numbers]
    has_gaps = None in cells and kind is np.int64
    return pd.DataFrame({"id": pd.Series(cells, dtype=np.float64 if has_gaps else kind)})


def with_rows(table: pd.DataFrame) -> pd.DataFrame:
    """As the original holds it: texts are Python objects."""
    is_text = not pd.api.types.is_numeric_dtype(table["id"])
    column = table["id"]
    if is_text:
        column = column.astype(object).where(column.notna(), np.nan)
    return pd.DataFrame({"id": column, "row": range(len(table))})


def by_us(matching: type[Matching], mine: pd.DataFrame, theirs: pd.DataFrame) -> Pairs | None:
    """Our pairs, in our order; None for a refusal."""
    try:
        pairing = matching().pair(KeyTable.of(mine), KeyTable.of(theirs))
    except InvalidSubmissionError:
        return None
    if matching is Pooled:
        assert pairing == (None, None)
        return []
    answers = range(len(theirs)) if pairing.answers is None else pairing.answers.tolist()
    rows = range(len(mine)) if pairing.submitted is None else pairing.submitted.tolist()
    return list(zip(answers, rows, strict=True))


def by_pandas(matching: type[Matching], mine: pd.DataFrame, theirs: pd.DataFrame) -> Pairs | None:
    try:
        return ORACLES[matching](with_rows(mine), with_rows(theirs))
    except RefusedError:
        return None


def check(matching: type[Matching], mine: pd.DataFrame, theirs: pd.DataFrame) -> None:
    ours, expected = by_us(matching, mine, theirs), by_pandas(matching, mine, theirs)
    assert (ours is None) == (expected is None)
    if ours is not None and expected is not None:
        assert sorted(ours) == sorted(expected)


@st.composite
def small_cases(draw: Any, matching: type[Matching]) -> tuple[list[int | None], list[int]]:
    """Few keys, so that tables are often equal but for one deviation or two."""
    size = st.integers(1, 12)
    numbers = st.lists(
        st.integers(0, 5),
        min_size=1,
        max_size=draw(size),
        unique=matching not in WITH_REPEATED_ANSWERS,
    )
    answers: list[int] = draw(numbers)
    submitted: list[int | None] = list(draw(st.permutations(answers) | st.just(answers)))
    for change in draw(st.lists(st.sampled_from(["drop", "twice", "unknown", "empty", "again"]))):
        place = draw(st.integers(0, len(submitted)))
        match change:
            case "drop":
                del submitted[place : place + 1]
            case "twice":
                submitted.insert(place, draw(st.sampled_from(answers)))
            case "again" if place < len(submitted):
                submitted[place] = draw(st.sampled_from(answers))
            case "unknown" | "empty" if place < len(submitted):
                submitted[place] = 77 if change == "unknown" else None
    return submitted, answers


@every_matching
@given(st.data(), looks)
def test_small_tables_are_paired_as_pandas_does(
    matching: type[Matching], data: Any, look: str
) -> None:
    submitted, answers = data.draw(small_cases(matching))
    check(matching, keys(submitted, look), keys(list(answers), look))


@every_matching
@given(st.integers(0, 2**32), looks, st.sampled_from(["same", "shuffled", "sorted", "reversed"]))
def test_large_tables_with_many_equal_keys_are_paired_as_pandas_does(
    matching: type[Matching], seed: int, look: str, order: str
) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(17, 400))
    if matching in WITH_REPEATED_ANSWERS:
        answers = rng.integers(0, max(size // 8, 1), size)
    else:
        answers = rng.permutation(size)
    submitted = answers.copy()
    if rng.random() < 0.7:  # other multiplicities
        chosen = rng.integers(0, size, size // 4)
        submitted[chosen] = answers[rng.permutation(chosen)]
    if matching in (AtLeastAsked, AtMostAsked, Join):
        submitted = np.concatenate([answers, rng.choice(answers, int(rng.integers(0, size)))])
    if order == "shuffled":
        submitted = rng.permutation(submitted)
    elif order == "sorted":
        submitted = np.sort(submitted)
    elif order == "reversed":
        submitted = submitted[::-1]
    check(matching, keys(submitted.tolist(), look), keys(answers.tolist(), look))


@every_matching
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8, unique=True), st.randoms())
def test_whole_ids_may_be_written_with_a_decimal_point(
    matching: type[Matching], answers: list[int], random: Any
) -> None:
    submitted = random.sample(answers, len(answers))
    theirs = keys(list(answers), "whole")
    check(matching, keys(list(submitted), "whole").astype(float), theirs)


@pytest.mark.parametrize("matching", [Join, AtMostAsked, AtLeastAsked, Pooled])
def test_a_key_may_be_repeated_very_often(matching: type[Matching]) -> None:
    answers = keys([1, 0], "text")
    submitted = keys([0, 1, *[0] * 20_000], "text")
    check(matching, submitted, answers)


@given(st.data())
def test_rows_are_sorted_by_keys_of_any_kind(data: Any) -> None:
    """Q&A and taxi: other kinds of ids than asked for are sorted and never compared."""
    size = data.draw(st.integers(1, 40))
    numbers = st.lists(st.none() | st.integers(0, 9), min_size=size, max_size=size)
    mine, theirs = (keys(data.draw(numbers), data.draw(looks)) for _ in range(2))
    check(SortedOnly, mine, theirs)


@every_matching
def test_text_mixed_with_numbers_is_refused_or_not_looked_at(matching: type[Matching]) -> None:
    mixed = pd.DataFrame({"id": pd.Series(["a", 1, "b"], dtype=object)})
    by_us(matching, mixed, keys([0, 1, 2], "text"))
    by_us(matching, mixed, keys([0, 1, 2], "whole"))


@pytest.mark.parametrize("matching", [kind for kind in MATCHINGS if not kind.order_counts])
@given(st.lists(st.integers(0, 20), min_size=1, max_size=15, unique=True), st.randoms())
def test_where_order_does_not_count_rows_meet_their_own_answers(
    matching: type[Matching], answers: list[int], random: Any
) -> None:
    submitted = random.sample(answers, len(answers))
    pairs = by_us(matching, keys(list(submitted), "text"), keys(list(answers), "text"))
    assert pairs is not None
    for answer, row in pairs:
        assert answers[answer] == submitted[row]
    assert matching is Pooled or len(pairs) == len(answers)
