"""Text, words, guesses and sets of labels, as the fact sheets say that pandas 2 leaves them."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.submission import CastText, LabelSet, Text, TextLabel, TokenList
from tests.helpers import read_cells, refusal

NOTHING = pd.DataFrame()

CAST = CastText("x")
BLANK = CastText("x", missing="")
WORDS = ("blast", "normal", "tungro")


def parsed(kind: Any, cells: list[str]) -> list[Any]:
    return kind.parse(read_cells(cells), NOTHING).tolist()


def refused(kind: Any, cells: list[str]) -> Any:
    return refusal(kind.parse, read_cells(cells), NOTHING)


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (["a", "", "NA"], ["a", "nan", "nan"]),
        (["a", "007", "1.50"], ["a", "007", "1.50"]),
        (["5", "007"], ["5", "7"]),
        (["5", "", "7"], ["5.0", "nan", "7.0"]),
        (["1.50", "2"], ["1.5", "2.0"]),
        (["1e3", "2"], ["1000.0", "2.0"]),
        (["0.1", "1e22"], ["0.1", "1e+22"]),
        (["1e400", "-0.0"], ["1e400", "-0.0"]),
        (["true", "FALSE"], ["True", "False"]),
        (["true", ""], ["True", "nan"]),
        (["true", "1"], ["true", "1"]),
        (["true", "maybe"], ["true", "maybe"]),
        (["", ""], ["nan", "nan"]),
        (["18446744073709551615", "1"], ["18446744073709551615", "1"]),
        (["99999999999999999999999", "1"], ["99999999999999999999999", "1"]),
        (["  ", " a "], ["  ", " a "]),
        (["null", "null null"], ["nan", "null null"]),
        (['a,"b"', "two\nlines"], ['a,"b"', "two\nlines"]),
    ],
)
def test_whatever_was_read_is_cast_to_text(cells: list[str], texts: list[str]) -> None:
    assert parsed(CAST, cells) == texts
    assert parsed(BLANK, cells) == ["" if text == "nan" else text for text in texts]


@given(st.lists(st.sampled_from(["3", "-7", "2.5", "", "true", "False", "word", "NA", "1e2"])))
def test_casts_agree_with_pandas_cell_by_cell(cells: list[str]) -> None:
    column = read_cells(cells)
    expected = ["nan" if pd.isna(cell) else str(cell) for cell in column.tolist()]
    assert CAST.parse(column, NOTHING).tolist() == expected


@pytest.mark.parametrize("cells", [["1", "2"], ["1.5", ""], ["true", "false"], ["true", ""]])
@pytest.mark.parametrize("kind", [Text("x"), LabelSet("x")])
def test_numbers_and_truth_values_throughout_are_no_text(kind: Any, cells: list[str]) -> None:
    error = refused(kind, cells)
    assert error.code == "not_text"
    assert error.rows == tuple(row for row, cell in enumerate(cells, 1) if cell)


@pytest.mark.parametrize("cells", [["1", "x"], ["true", "x"], ["true", "1"], ["", "x"], ["", ""]])
def test_one_word_or_nothing_at_all_makes_a_column_text(cells: list[str]) -> None:
    assert parsed(Text("x"), cells) == cells


@pytest.mark.parametrize("kind", [Text, CastText])
def test_empty_cells_are_refused_on_request(kind: Any) -> None:
    strict = kind("x", may_be_missing=False)
    assert parsed(strict, ["a", " "]) == ["a", " "]
    error = refused(strict, ["a", "", " ", "NA"])
    assert (error.code, error.rows) == ("missing_value", (2, 4))
    assert [trial.is_valid for trial in strict.trials()] == [False]


PADDY = TextLabel("x", choices=WORDS, numbers_are_wrong=True)
SPEECH = TextLabel("x", choices=WORDS, missing=None, numbers_are_wrong=True)
SEEDLINGS = TextLabel("x", choices=WORDS, missing="nan", may_all_be_missing=False)


@pytest.mark.parametrize(
    ("cells", "paddy", "speech", "seedlings"),
    [
        (["blast", "tungro"], True, True, True),
        (["blast", "rust"], True, True, True),
        (["blast", "7"], True, True, True),
        (["blast", ""], True, False, True),
        (["blast", "NA"], True, False, True),
        (["", ""], True, False, False),
        (["1", "2"], True, True, False),
        (["1.0", "2.0"], True, True, False),
        (["true", "false"], True, True, False),
        (["true", ""], True, False, False),
        (["true", "rust"], True, True, True),
        (["1", ""], True, False, False),
        (["1.5", ""], True, False, False),
        (["1.5", "2"], False, False, False),
        (["inf", "2"], False, False, False),
        (["1e30", "2"], False, False, False),
    ],
)
def test_words_numbers_and_gaps_are_judged_as_the_sheets_say(
    cells: list[str], paddy: bool, speech: bool, seedlings: bool
) -> None:
    for kind, is_valid in ((PADDY, paddy), (SPEECH, speech), (SEEDLINGS, seedlings)):
        if is_valid:
            words = parsed(kind, cells)
            assert all(isinstance(word, str) for word in words)
            right = [cell if cell in WORDS else None for cell in cells]
            assert [word if word in WORDS else None for word in words] == right
        else:
            assert refused(kind, cells).code in ("not_text", "missing_value")


def test_an_empty_cell_counts_as_declared() -> None:
    assert parsed(PADDY, ["blast", ""]) == ["blast", ""]
    assert parsed(SEEDLINGS, ["blast", ""]) == ["blast", "nan"]


def ranked(cells: list[str], most: int) -> list[list[str]]:
    """As the sheets of hotels, whales and fashion have it."""
    texts = CAST.parse(read_cells(cells), NOTHING).tolist()
    return [text.split(" ")[:most] for text in texts]


guesses = st.text("ab 1", max_size=8)


@given(st.lists(guesses, max_size=5), st.integers(1, 4))
def test_guesses_are_split_at_single_blanks_and_cut(cells: list[str], most: int) -> None:
    assert parsed(TokenList("x", most=most), cells) == ranked(cells, most)


def test_blanks_take_up_ranks_and_numbers_are_texts() -> None:
    kind = TokenList("x", most=3)
    assert parsed(kind, ["a  b c", " a", "a b c d"]) == [["a", "", "b"], ["", "a"], list("abc")]
    assert parsed(kind, ["007", "12"]) == [["7"], ["12"]]
    assert parsed(kind, ["7", ""]) == [["7.0"], ["nan"]]
    assert parsed(kind, ["a\tb c", "x"]) == [["a\tb", "c"], ["x"]]


@given(st.lists(st.text("ab\t 1", max_size=8), min_size=1, max_size=5))
def test_guesses_may_be_separated_by_any_white_space(cells: list[str]) -> None:
    kind = TokenList("x", most=None, single_blanks=False)
    texts = CAST.parse(read_cells(cells), NOTHING).tolist()
    assert parsed(kind, cells) == [text.split() for text in texts]


def test_whole_numbers_stay_whole_beside_gaps_if_asked_to() -> None:
    kind = TokenList("x", most=3, missing="", single_blanks=False, stays_whole=True)
    assert parsed(kind, ["7", "", "012"]) == [["7"], [], ["12"]]
    assert parsed(kind, ["7.5", "", "inf"]) == [["7.5"], [], ["inf"]]
    assert parsed(kind, ["7", "8"]) == [["7"], ["8"]]
    assert parsed(kind, ["7.0 8", ""]) == [["7.0", "8"], []]


@given(st.lists(st.text("ab\t ", max_size=8), max_size=5))
def test_sets_of_labels_are_those_of_split(cells: list[str]) -> None:
    assert parsed(LabelSet("x"), cells) == [cell.split() for cell in cells]


def test_missing_words_are_labels_only_beside_others() -> None:
    cells = ["null", "null java", "java java", ""]
    expected = [[], ["null", "java"], ["java", "java"], []]
    assert parsed(LabelSet("x"), cells) == expected


@pytest.mark.parametrize("cells", [["12", "34"], ["12", ""]])
def test_sets_of_one_number_each_are_refused(cells: list[str]) -> None:
    assert refused(LabelSet("x"), cells).code == "not_text"
    assert parsed(LabelSet("x"), [*cells, "1 2"])[-1] == ["1", "2"]
