"""What every kind of column promises, tried with real csv files: examples, trials, row numbers."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import (
    Boxes,
    CastNumber,
    CastText,
    Column,
    Label,
    LabelSet,
    Number,
    Permutation,
    Points,
    RunLengths,
    Submission,
    Text,
    TextLabel,
    TokenList,
    WholeNumbers,
    read_table,
)

NUMBER = Number("x", low=0, high=10)
WORDS = TextLabel("x", choices=("blast", "normal", "tungro"))
BOX = Boxes("x", fields=("name", "u", "v"), words=("name",))
MASK = RunLengths("x", pixels=60)

KINDS: dict[str, Column] = {
    "number": Number("x"),
    "number between": NUMBER,
    "number at least": Number("x", low=5),
    "number at most": Number("x", high=-5),
    "number or gap": replace(NUMBER, may_be_missing=True),
    "number or infinity": Number("x", may_be_infinite=True),
    "infinity below a limit": Number("x", may_be_infinite=True, high=3),
    "whole number": replace(NUMBER, whole=True),
    "whole number or gap": replace(NUMBER, whole=True, may_be_missing=True),
    "cast number": CastNumber("x"),
    "cast number between": CastNumber("x", low=0, high=10),
    "grade": Label("x", choices=(0, 1, 2)),
    "truth": Label("x", choices=(True, False)),
    "text": Text("x"),
    "cast text": CastText("x"),
    "cast text or nothing": CastText("x", missing=""),
    "word": WORDS,
    "word never missing": replace(WORDS, missing=None),
    "word not all missing": replace(WORDS, missing="nan", may_all_be_missing=False),
    "word and no number": replace(WORDS, numbers_are_wrong=True),
    "guess": TokenList("x", most=1),
    "guesses": TokenList("x", most=5),
    "guesses with any blanks": TokenList("x", most=None, single_blanks=False, stays_whole=True),
    "labels": LabelSet("x"),
    "labels of choice": LabelSet("x", choices=("java", "perl", "c++")),
    "numbers as labels": LabelSet("x", choices=("1", "2", "3")),
    "whole numbers": WholeNumbers("x"),
    "whole numbers or nothing": WholeNumbers("x", missing="", stays_whole=True),
    "order": Permutation("x", of="items"),
    "boxes": BOX,
    "boxes with any blanks": replace(BOX, single_blanks=False),
    "boxes never empty": replace(BOX, may_be_empty=False),
    "boxes never missing": replace(BOX, single_blanks=False, may_be_missing=False),
    "boxes of numbers": Boxes("x", fields=("u", "v")),
    "finite boxes": replace(BOX, finite=("v",)),
    "boxes of choice": replace(BOX, choices=("car", "bus"), finite=("u",)),
    "boxes of numbered choice": Boxes("x", fields=("u", "v"), choices=(0, 14)),
    "points": Points("x", fields=("u", "v")),
    "mask": MASK,
    "mask with odd counts": replace(MASK, odd_counts=True),
    "mask of some size": RunLengths("x", size=("high", "wide")),
    "mask with a word for nothing": replace(MASK, empty="-", may_be_missing=False),
    "mask with a word or nothing": replace(MASK, empty="-"),
    "mask never empty": replace(MASK, may_be_missing=False),
    "mask of a tiny image": RunLengths("x", pixels=1),
    "mask of a small image": RunLengths("x", pixels=3, may_be_missing=False),
}
ROWS = 40
# Too small an image leaves no room for some of the rules to be broken.
TRIED = {name: kind for name, kind in KINDS.items() if not name.endswith(" image")}

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_tried_kind = pytest.mark.parametrize("kind", TRIED.values(), ids=TRIED)


def public_of(rows: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"row {number:03}" for number in range(rows)],
            "items": ["a b c d"] * rows,
            "high": np.arange(rows) % 5 + 2,
            "wide": np.arange(rows) % 7 + 3,
        }
    )


def declared(kind: Column) -> Submission:
    return Submission("id", (kind,), public=("items", "high", "wide"))


def through_a_file(table: pd.DataFrame, kind: Column) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submission.csv"
        table.to_csv(path, index=False)
        return read_table(path, numbers=declared(kind).number_names)


def example(kind: Column, rows: int = ROWS, seed: int = 0) -> pd.DataFrame:
    public = public_of(rows)
    return declared(kind).example(public, np.random.default_rng(seed))


def as_plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


@every_kind
@pytest.mark.parametrize("rows", [1, 2, 3, ROWS])
def test_examples_are_valid_after_a_trip_through_a_file(kind: Column, rows: int) -> None:
    public = public_of(rows)
    for seed in range(6):
        table = example(kind, rows, seed)
        checked = declared(kind).check(through_a_file(table, kind), public)
        cells = pd.Series(table["x"].tolist(), dtype=None if isinstance(kind, Number) else object)
        direct = kind.parse(cells, public)
        assert [*map(as_plain, checked.predicted["x"])] == [*map(as_plain, direct)]


@every_kind
def test_examples_vary_and_repeat_with_the_seed(kind: Column) -> None:
    cells = example(kind)["x"].tolist()
    assert len(set(cells)) > 1
    assert cells == example(kind)["x"].tolist()
    assert cells != example(kind, seed=1)["x"].tolist()


@pytest.mark.parametrize("rows", [4, ROWS])
@every_tried_kind
def test_every_trial_gets_its_verdict_in_an_otherwise_good_column(kind: Column, rows: int) -> None:
    public = public_of(rows)
    good = example(kind, rows).astype({"x": str})
    trials = list(kind.trials())
    assert trials
    for trial in trials:
        for place in {rows // 3, rows // 2, rows - 1}:
            changed = good.copy()
            changed.loc[place, "x"] = trial.cell
            submitted = through_a_file(changed, kind)
            assert is_valid(kind, submitted, public) == trial.is_valid, trial.name


def is_valid(kind: Column, submitted: pd.DataFrame, public: pd.DataFrame) -> bool:
    try:
        declared(kind).check(submitted, public)
    except InvalidSubmissionError:
        return False
    return True


@every_tried_kind
def test_refusals_name_rows_of_the_submitted_file_in_whatever_order(kind: Column) -> None:
    public = public_of(ROWS)
    good = example(kind).astype({"x": str})
    rng = np.random.default_rng(1)
    for trial in kind.trials():
        if trial.is_valid:
            continue
        place = int(rng.integers(ROWS))
        changed = good.copy()
        changed.loc[place, "x"] = trial.cell
        order = rng.permutation(ROWS)
        submitted = through_a_file(changed.iloc[order], kind)
        with pytest.raises(InvalidSubmissionError) as caught:
            declared(kind).check(submitted, public)
        row = int(np.flatnonzero(order == place)[0]) + 1
        assert caught.value.column == "x"
        if caught.value.code == "mixed_types":  # then all the truth values are named
            assert row not in caught.value.rows
        else:
            assert caught.value.rows == (row,), trial.name
            assert f"row {row}: " in str(caught.value)


@every_kind
def test_descriptions_are_one_sentence_without_a_full_stop(kind: Column) -> None:
    text = kind.describe()
    assert text
    assert not text.endswith((".", " "))
    assert "\n" not in text


@every_kind
def test_a_header_without_rows_has_no_cell_that_is_wrong(kind: Column) -> None:
    """A column without cells is none of numbers to pandas, and none with a word in it."""
    header = pd.DataFrame({"x": pd.Series([], dtype=object)})
    needs_numbers = isinstance(kind, Number) and not isinstance(kind, CastNumber)
    is_refused = needs_numbers or not getattr(kind, "may_all_be_missing", True)
    if is_refused:
        with pytest.raises(InvalidSubmissionError):
            kind.parse(header["x"], public_of(0))
    else:
        assert len(kind.parse(header["x"], public_of(0))) == 0
