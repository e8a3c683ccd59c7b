"""What a matching says about itself is what it does, and its messages tell no secrets."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import MATCHINGS, Matching, Submission, Text
from mlebench.submission.keys import KeyTable
from mlebench.submission.matching import Tolerance
from mlebench.submission.refusals import SHOWN_ROWS
from tests.submission.pandas_matchings import WITH_REPEATED_ANSWERS

every_matching = pytest.mark.parametrize("matching", MATCHINGS, ids=lambda kind: kind.__name__)

Table = pd.DataFrame
TEXT_IDS: list[Any] = ["ape", "bee", "cat", "dog", "eel"]
NUMBER_IDS: list[Any] = [10, 20, 30, 40, 50]


def with_last_id(value: Any) -> Callable[[Table], Table]:
    def change(table: Table) -> Table:
        ids = [*table["id"].tolist()[:-1], value]
        return table.assign(id=pd.Series(ids, index=table.index))

    return change


def unknown(table: Table) -> Table:
    return with_last_id("no-such-id" if table["id"].iloc[0] == TEXT_IDS[0] else 77)(table)


DEVIATIONS: dict[str, Callable[[Table], Table]] = {
    "no_rows": lambda table: table.iloc[:0],
    "a_row_missing": lambda table: table.iloc[1:],
    "a_row_twice": lambda table: pd.concat([table, table.tail(1)]),
    "an_unknown_key": unknown,
    "an_empty_key": with_last_id(None),
    "a_repeated_key": lambda table: with_last_id(table["id"].iloc[0])(table),
    "other_repetitions": lambda table: with_last_id(table["id"].iloc[0])(table),
    "no_key_column": lambda table: table.drop(columns="id"),
    "shuffled_rows": lambda table: table.iloc[::-1],
}


def accepts(matching: Matching, submitted: Table, ids: list[Any]) -> bool:
    declared = Submission("id", (Text("x"),), matching=matching)
    try:
        declared.check(submitted, pd.DataFrame({"id": ids}))
    except InvalidSubmissionError:
        return False
    return True


def test_every_deviation_is_tried() -> None:
    assert list(DEVIATIONS) == [field.name for field in fields(Tolerance)]


@pytest.mark.parametrize("ids", [TEXT_IDS, NUMBER_IDS], ids=["text", "numbers"])
@pytest.mark.parametrize(
    ("matching", "deviation"),
    [
        (matching, deviation)
        for matching in MATCHINGS
        for deviation in DEVIATIONS
        if deviation != "other_repetitions" or matching in WITH_REPEATED_ANSWERS
    ],
)
def test_a_matching_tolerates_what_it_says(
    matching: type[Matching], deviation: str, ids: list[Any]
) -> None:
    if deviation == "other_repetitions":
        ids = [*ids[:-1], ids[1]]
    good = pd.DataFrame({"id": ids, "x": list("pqrst")})
    assert accepts(matching(), good, ids)
    changed = DEVIATIONS[deviation](good)
    assert accepts(matching(), changed, ids) == getattr(matching.tolerates, deviation)


@every_matching
def test_keys_are_kept_where_scoring_needs_them(matching: type[Matching]) -> None:
    declared = Submission("id", (Text("x"),), matching=matching())
    submitted = pd.DataFrame({"id": TEXT_IDS, "x": list("pqrst")})
    checked = declared.check(submitted, pd.DataFrame({"id": TEXT_IDS}))
    assert ("id" in checked.predicted.columns) == matching.keeps_key
    if matching.keeps_key:
        assert checked.predicted["id"].tolist() == TEXT_IDS


some_ids = st.lists(st.sampled_from([*TEXT_IDS, "fox", "gnu", None]), max_size=10)


@every_matching
@given(some_ids, st.lists(st.sampled_from(TEXT_IDS), min_size=1, max_size=8))
def test_messages_name_ids_of_the_two_tables_and_rows_of_the_submission(
    matching: type[Matching], submitted: list[Any], answers: list[str]
) -> None:
    mine, theirs = (
        pd.DataFrame({"id": pd.Series(cells, dtype=object)}) for cells in (submitted, answers)
    )
    error = refusal_of(matching, mine, theirs)
    quoted = set(re.findall("'([^']*)'", str(error)))
    assert quoted <= {"id", *answers, *filter(None, submitted)}
    assert len(error.rows) <= SHOWN_ROWS
    for row in error.rows:
        assert 1 <= row <= len(submitted)
        assert is_at_fault(row - 1, submitted, answers)


def refusal_of(matching: type[Matching], mine: Table, theirs: Table) -> InvalidSubmissionError:
    """The refusal; one without words where there is none."""
    try:
        matching().pair(KeyTable.of(mine), KeyTable.of(theirs))
    except InvalidSubmissionError as error:
        return error
    return InvalidSubmissionError("")


def is_at_fault(row: int, submitted: list[Any], answers: list[str]) -> bool:
    key = submitted[row]
    is_elsewhere = row >= len(answers) or answers[row] != key
    is_too_often = submitted[: row + 1].count(key) > answers.count(key)
    return key is None or key not in answers or is_too_often or is_elsewhere


@every_matching
def test_long_ids_are_cut_in_messages(matching: type[Matching]) -> None:
    mine, theirs = (
        pd.DataFrame({"id": [letter * 10_000 for letter in letters]}) for letters in ("ab", "cd")
    )
    assert len(str(refusal_of(matching, mine, theirs))) < 600
    assert len(str(refusal_of(matching, mine.iloc[:1], theirs))) < 600
