"""A declared submission: checks, alignment, examples and documentation from one source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from mlebench.errors import ConfigError
from mlebench.submission import (
    Label,
    Number,
    Permutation,
    Position,
    RowsSumToOne,
    RunLengths,
    SortedKeys,
    Submission,
    Text,
)
from tests.conftest import Prepared
from tests.helpers import MINI_IDS, READY_IDS, refusal

SCHEMA = Submission(
    key="id",
    columns=(Number("low", low=0, high=1), Number("high", low=0, high=1), Text("remark")),
    rules=(RowsSumToOne(("low", "high")),),
)
STRICT = replace(SCHEMA, only_these_columns=True, key_first=True)
BY_POSITION = replace(SCHEMA, matching=Position())

ANSWERS = pd.DataFrame({"id": ["a", "b", "c"], "low": [1.0, 0.0, 0.0]})


def table(**changes: object) -> pd.DataFrame:
    """A valid submission with changed or further columns; None removes one."""
    columns = {
        "id": ["c", "a", "b"],
        "low": [0.5, 0.25, 0.0],
        "high": [0.5, 0.75, 1.0],
        "remark": ["x", "y", "z"],
    } | changes
    return pd.DataFrame({name: cells for name, cells in columns.items() if cells is not None})


def test_rows_are_aligned_with_the_answers() -> None:
    predicted, rows, answers = SCHEMA.check(table(), ANSWERS)
    assert answers is None  # all of them, in their order
    assert rows.tolist() == [1, 2, 0]
    assert predicted["low"].tolist() == [0.25, 0.0, 0.5]
    assert predicted["remark"].tolist() == ["y", "z", "x"]
    assert list(predicted.index) == [0, 1, 2]


LOOKED_AT = replace(SCHEMA, further=partial(Number, high=1))


@pytest.mark.parametrize(
    ("declared", "weight", "code"),
    [
        (SCHEMA, "x", None),
        (STRICT, 0.5, "extra_column"),
        (LOOKED_AT, 0.5, None),
        (LOOKED_AT, 2, "out_of_range"),
        (LOOKED_AT, "x", "not_a_number"),
    ],
)
def test_further_columns_are_ignored_refused_or_looked_at(
    declared: Submission, weight: object, code: str | None
) -> None:
    submitted = table(weight=[0, weight, 1])
    if code:
        assert refusal(declared.check, submitted, ANSWERS).code == code
    else:
        predicted = declared.check(submitted, ANSWERS).predicted
        assert ("weight" in predicted) == (declared is LOOKED_AT)
    described = "Any further column: a number; values must not exceed 1." in declared.document()
    assert described == (declared is LOOKED_AT)


def test_by_position_the_key_is_not_looked_at() -> None:
    for ids in (["?", "?", "?"], None, [1.5, None, 7]):
        predicted = BY_POSITION.check(table(id=ids), ANSWERS).predicted
        assert predicted["low"].tolist() == [0.5, 0.25, 0.0]


@pytest.mark.parametrize(
    ("schema", "changes", "code", "column", "rows"),
    [
        (SCHEMA, {"low": None}, "missing_column", "low", ()),
        (SCHEMA, {"id": None}, "missing_column", "id", ()),
        (BY_POSITION, {"high": None}, "missing_column", "high", ()),
        (SCHEMA, {"low": [0.5, 9.0, 0.0]}, "out_of_range", "low", (2,)),
        (SCHEMA, {"low": [0.5, np.nan, 0.0]}, "missing_value", "low", (2,)),
        (SCHEMA, {"low": [0.5, 0.2, 0.0]}, "row_sum", "low + high", (2,)),
        (SCHEMA, {"remark": [1, 2, 3]}, "not_text", "remark", (2, 3, 1)),
        (SCHEMA, {"id": ["c", "a", "a"]}, "duplicate_ids", "id", (3,)),
        (SCHEMA, {"id": ["c", "a", "q"]}, "wrong_ids", "id", (3,)),
        (STRICT, {"extra": ["1", "2", "3"]}, "extra_column", "extra", ()),
    ],
)
def test_refusals_name_code_column_and_rows(
    schema: Submission, changes: dict, code: str, column: str, rows: tuple[int, ...]
) -> None:
    error = refusal(schema.check, table(**changes), ANSWERS)
    assert (error.code, error.column, error.rows) == (code, column, rows)


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs")])
def test_other_separators_are_named(sign: str, name: str) -> None:
    header = sign.join(table().columns)
    error = refusal(SCHEMA.check, pd.DataFrame({header: ["a", "b", "c"]}), ANSWERS)
    assert error.code == "missing_column"
    assert f"separated by commas, not by {name}." in str(error)


def test_the_column_to_remove_comes_first_and_those_allowed_have_an_end() -> None:
    names = [f"class_{number}" for number in range(100)]
    schema = Submission(key="id", columns=tuple(map(Number, names)), only_these_columns=True)
    submitted = pd.DataFrame({name: ["0"] for name in ["id", *names, "bonus"]})
    said = str(refusal(schema.check, submitted, submitted))
    assert said.startswith("Remove the column 'bonus'; only id, class_0, ")
    assert said.endswith(" class_18 and 81 more are allowed.")
    assert "class_18 and 81 more" in str(refusal(schema.check, pd.DataFrame(), submitted))


def test_further_columns_are_ignored_unless_forbidden() -> None:
    predicted = SCHEMA.check(table(extra=[1, 2, 3]), ANSWERS).predicted
    assert list(predicted.columns) == ["low", "high", "remark"]


def test_key_must_come_first_where_declared() -> None:
    shuffled = table()[["low", "id", "high", "remark"]]
    SCHEMA.check(shuffled, ANSWERS)
    error = refusal(STRICT.check, shuffled, ANSWERS)
    assert (error.code, error.column) == ("column_order", "id")


def test_columns_must_stand_in_order_where_declared() -> None:
    ordered = replace(SCHEMA, in_order=True)
    ordered.check(table(), ANSWERS)
    ordered.check(table(extra=[1, 2, 3])[["extra", *SCHEMA.names]], ANSWERS)
    error = refusal(ordered.check, table()[["id", "high", "low", "remark"]], ANSWERS)
    assert (error.code, error.column) == ("column_order", "high")
    assert "'high' stands where 'low' belongs" in str(error)


def test_columns_may_be_told_apart_by_their_place() -> None:
    shuffled = table()[["remark", "high", "id", "low"]]
    by_place = replace(SCHEMA, by_place=True)
    assert list(SCHEMA.check(shuffled, ANSWERS).predicted) == ["low", "high", "remark"]
    assert list(by_place.check(shuffled, ANSWERS).predicted) == ["remark", "high", "low"]


def test_a_column_may_have_another_name() -> None:
    named = replace(SCHEMA, other_names={"least": "low"}, only_these_columns=True)
    renamed = table().rename(columns={"low": "least"})
    predicted = named.check(renamed, ANSWERS).predicted
    pd.testing.assert_frame_equal(predicted, named.check(table(), ANSWERS).predicted)
    assert named.number_names == ["low", "high", "least"]
    error = refusal(named.check, table(least=[0.5, 0.25, 0.0]), ANSWERS)
    assert (error.code, error.column) == ("repeated_column", "least")
    assert refusal(named.check, table(low=None), ANSWERS).code == "missing_column"


def test_empty_table_is_called_empty() -> None:
    error = refusal(SCHEMA.check, pd.DataFrame(), ANSWERS)
    assert error.code == "empty_file"
    assert "id, low, high, remark" in str(error)


@pytest.mark.parametrize(("schema", "hint"), [(SCHEMA, "id"), (BY_POSITION, "")])
def test_row_count_is_checked(schema: Submission, hint: str) -> None:
    error = refusal(schema.check, table().iloc[:2], ANSWERS)
    assert error.code == "row_count"
    assert hint in str(error)


@pytest.mark.parametrize("spelling", ["Low", " low", "LOW "])
def test_similar_column_names_are_suggested(spelling: str) -> None:
    renamed = table().rename(columns={"low": spelling})
    assert f"Did you mean {spelling!r}" in str(refusal(SCHEMA.check, renamed, ANSWERS))


@pytest.mark.parametrize(("error", "is_valid"), [(0.0, True), (9e-6, True), (3e-5, False)])
def test_row_sums_have_a_tolerance(error: float, is_valid: bool) -> None:
    submission = table(low=[0.5, 0.25 + error, 0.0])
    if is_valid:
        predicted = SCHEMA.check(submission, ANSWERS).predicted
        assert predicted["low"].tolist() == [0.25 + error, 0.0, 0.5]  # nothing is rescaled
    else:
        assert refusal(SCHEMA.check, submission, ANSWERS).code == "row_sum"


def test_alignment_changes_neither_table() -> None:
    submission, answers = table(), ANSWERS.copy()
    SCHEMA.check(submission, answers)
    pd.testing.assert_frame_equal(submission, table())
    pd.testing.assert_frame_equal(answers, ANSWERS)


@pytest.mark.parametrize("schema", [SCHEMA, STRICT, BY_POSITION])
def test_examples_are_valid(schema: Submission) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        example = schema.example(ANSWERS, rng)
        assert list(example.columns) == schema.names
        schema.check(example, ANSWERS)


def test_document_mentions_every_column_and_rule() -> None:
    text = STRICT.document()
    for name in STRICT.names:
        assert f"`{name}`" in text or name in text.splitlines()[0]
    assert "sum to 1" in text
    assert "Further columns are refused" in text
    assert "must be the first column" in text
    assert "any order" in text
    assert "order of the sample submission" in BY_POSITION.document()
    assert "stand in this order" in replace(SCHEMA, in_order=True).document()
    assert "told apart by their place" in replace(SCHEMA, by_place=True).document()
    other = replace(SCHEMA, other_names={"least": "low"})
    assert "`least` is accepted in place of `low`" in other.document()


def test_reader_is_told_which_columns_are_numbers() -> None:
    schema = Submission("id", (Number("a"), Text("b"), Label("c", choices=(0, 1))))
    assert schema.number_names == ["a", "c"]


@pytest.mark.parametrize("edition", ["v1", "v2"])
@pytest.mark.parametrize("competition_id", [*READY_IDS, *MINI_IDS])
def test_declarations_of_all_competitions_document_themselves(
    competition_id: str, edition: str, prepared: Prepared
) -> None:
    task = prepared(competition_id, edition).task
    assert task is not None
    text = task.submission.document()
    for column in task.submission.columns:
        assert f"- `{column.name}`: {column.describe()}." in text


def test_matchings_that_sort_take_one_key_column() -> None:
    with pytest.raises(ConfigError, match="SortedKeys sorts by one key column"):
        Submission(("a", "b"), (Number("x"),), matching=SortedKeys())


def test_repeated_names_of_a_table_are_refused() -> None:
    doubled = pd.concat([table(), table()], axis=1)
    assert refusal(SCHEMA.check, doubled, ANSWERS).code == "repeated_column"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Submission("id", ()), "one name"),
        (lambda: Submission("id", Number("x")), "columns must be a tuple"),
        (lambda: Submission("id", (Number("x"), Number("x"))), "one name"),
        (lambda: Submission("id", (Number("id"),)), "one name"),
        (lambda: Submission("id", (Number("x"),), matching=Position), "matching must be"),
        (lambda: Submission("id", (Number("x"),), public="height"), "public must be a tuple"),
        (lambda: Submission("id", (RunLengths("m", size=("h", "w")),)), "needs h, w"),
        (lambda: Submission("id", (Permutation("p", of="cells"),)), "needs cells"),
        (lambda: Submission("id", (Number("x"),), other_names={"y": "z"}), "lead to 'z'"),
        (lambda: RunLengths("m"), "either pixels or size"),
    ],
)
def test_declarations_that_cannot_work_are_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        make()
