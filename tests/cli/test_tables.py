"""Tables and facts at every width, with and without colours and Unicode.

The expected pictures lie in ``snapshots``; ``MLEBENCH_UPDATE_SNAPSHOTS=1 pytest`` draws them anew.
"""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.cli.screen import Screen
from mlebench.cli.tables import Cell, Column, fact_lines, table_lines, text_lines

SNAPSHOTS = Path(__file__).with_name("snapshots")
UPDATE = bool(os.environ.get("MLEBENCH_UPDATE_SNAPSHOTS"))  # before the environment is cleaned

COLUMNS = (
    Column("competition"),
    Column("medal", rank=1),
    Column("best score", rank=2),
    Column("metric", rank=3, wraps=True),
    Column("path", rank=4),
)
ROWS: list[list[Cell]] = [
    ["spaceship-titanic", "gold", 0.82066, "accuracy", "runs/1/submission.csv"],
    ["google-research-identify-contrails-reduce-global-warming", "silver", 0.7, "global Dice "
     "coefficient, which counts the pixels of all images together", "runs/2/submission.csv"],
    ["nomad2018-predict-transparent-conductors", "bronze", 0.0656123456, "mean column-wise RMSLE",
     "runs/a-folder-with-a-long-name/3/submission.csv"],
    ["ein-Übungsfall-日本", "invalid", None, "none", "runs/4/submission.csv"],
    ["random-acts-of-pizza", "missing", None, "ROC AUC", None],
]  # fmt: skip
FACTS: list[tuple[str, Cell]] = [
    ("status", "invalid"),
    ("score", 37.37587),
    ("medal", "gold"),
    ("error", "Column 'Transported': expected one of `True`, `False` (row 1: 'perhaps')."),
    ("report", "reports/2026-01-02T03-04-05-GMT_grading_report_with_a_very_long_name_indeed.json"),
]


def matches(name: str, lines: list[str]) -> None:
    path = SNAPSHOTS / f"{name}.txt"
    if UPDATE:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert path.read_text(encoding="utf-8").splitlines() == lines


SCREENS = {
    f"{width}{'-colours' * colours}{'-ascii' * (not has_unicode)}": Screen(
        width, colours, has_unicode
    )
    for width, colours, has_unicode in product((60, 80, 120, 200), (False, True), (False, True))
}


@pytest.mark.parametrize("name", SCREENS)
def test_tables_look_as_they_should(name: str) -> None:
    matches(f"table-{name}", list(table_lines(COLUMNS, ROWS, SCREENS[name])))


@pytest.mark.parametrize("name", SCREENS)
def test_facts_look_as_they_should(name: str) -> None:
    matches(f"facts-{name}", list(fact_lines(FACTS, SCREENS[name])))


def test_wide_leaves_nothing_out() -> None:
    lines = list(table_lines(COLUMNS, ROWS, Screen(60), wide=True))
    assert "Not shown" not in "".join(lines)
    assert all(any(str(row[4]) in line for line in lines) for row in ROWS[:4])


def test_a_pipe_gets_every_column_in_plain_lines() -> None:
    lines = list(table_lines(COLUMNS, ROWS, Screen()))
    assert len(lines) == 1 + len(ROWS)
    assert "\x1b" not in "".join(lines)
    assert lines[3].split() == [
        *("nomad2018-predict-transparent-conductors", "bronze", "0.0656123456"),
        *("mean", "column-wise", "RMSLE", "runs/a-folder-with-a-long-name/3/submission.csv"),
    ]


words = st.text("abcdefghij-/.", min_size=1, max_size=30)
sentences = st.lists(words, max_size=12).map(" ".join)


@given(
    st.lists(st.tuples(words, sentences, st.floats(allow_nan=False)), min_size=1),
    st.integers(20, 150),
)
def test_no_word_is_broken_and_no_number_cut(rows: list, width: int) -> None:
    columns = (Column("id"), Column("text", wraps=True), Column("number"))
    text = " ".join(table_lines(columns, rows, Screen(width)))
    for name, sentence, number in rows:
        assert {name, *sentence.split(), f"{number:.12g}"} <= set(text.split())


def test_a_long_word_stands_out_of_its_column_and_widens_nothing() -> None:
    path = "/a/very/long/path" * 8
    rows: list[list[Cell]] = [["a", "check", f"There is something wrong with {path} as it is."]]
    rows += [["b", "check", "another one that is told in more words than there is room for " * 3]]
    columns = (Column("competition", rank=2), Column("what", rank=1), Column("detail", wraps=True))
    lines = list(table_lines(columns, rows, Screen(80, has_unicode=True)))
    assert lines[0].split() == ["competition", "what", "detail"]
    assert [line.strip() for line in lines if len(line) > 80] == [path]


def test_a_word_too_long_for_its_column_has_a_line_of_its_own_that_fits() -> None:
    path = "/home/somebody/competitions/one-with-a-long-name/competition.yaml:"
    rows: list[list[Cell]] = [["competitions", "failed", f"{path} the field `metric` is missing."]]
    columns = (Column("what"), Column("result"), Column("detail", wraps=True))
    lines = list(table_lines(columns, rows, Screen(80)))
    assert lines[2:4] == ["competitions  failed", f"    {path}"]
    assert max(map(len, lines)) <= 80


def test_commands_stay_in_one_line() -> None:
    command = "mlebench grade-sample submission.csv spaceship-titanic --data-dir " + "x" * 40
    assert ["next", command] == list(fact_lines([("next", command)], Screen(60)))
    assert [f"next  {command}"] == list(fact_lines([("next", command)], Screen(120)))


@pytest.mark.parametrize("told", ["Please run `{}` to prepare.", "What works here: {}"])
def test_commands_in_sentences_stay_in_one_line(told: str) -> None:
    command = "mlebench prepare -c spaceship-titanic --fixture"
    sentence = f"The data of this competition are not prepared. {told.format(command)}"
    columns = (Column("id"), Column("text", wraps=True))
    for lines in (
        list(fact_lines([("error", sentence)], Screen(60))),
        list(table_lines(columns, [["mine", sentence]], Screen(60))),
        list(text_lines(sentence, Screen(60))),
    ):
        assert any(command in line for line in lines)
        assert max(map(len, lines)) <= 60


def test_a_fact_too_long_to_stand_beside_its_name_stands_below() -> None:
    page = "https://www.kaggle.com/competitions/nomad2018-predict-transparent-conductors"
    facts: list[tuple[str, Cell]] = [("best possible score", 1), ("address", page)]
    lines = list(fact_lines(facts, Screen(80)))
    assert lines == ["best possible score  1", "address", f"    {page}"]


def test_rows_are_blocks_where_the_first_columns_have_no_room() -> None:
    columns = (Column("competition"), Column("medal"), Column("score"), Column("why", wraps=True))
    rows: list[list[Cell]] = [
        ["google-research-identify-contrails-reduce-global-warming", "silver", 0.7, "as it is"],
        ["spaceship-titanic", None, None, ""],
    ]
    assert list(table_lines(columns, rows, Screen(60))) == [
        "google-research-identify-contrails-reduce-global-warming",
        "    medal: silver  score: 0.7",
        "    why: as it is",
        "spaceship-titanic",
        "    medal: -  score: -",
    ]


@given(st.lists(st.tuples(words, sentences), min_size=1), st.integers(40, 150))
def test_lines_fit_whenever_words_do(rows: list, width: int) -> None:
    columns = (Column("id"), Column("text", rank=1, wraps=True))
    assert all(len(line) <= width for line in table_lines(columns, rows, Screen(width)))
