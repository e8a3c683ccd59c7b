"""Columns are told in numbers by what they hold: amounts, names, texts, lists of numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mlebench.agents.automl.automl.features.columns import holds
from mlebench.agents.automl.automl.features.frame import Frame, frame_of, plain_frame_of
from mlebench.agents.automl.automl.features.lists import descriptions, side_of
from mlebench.agents.automl.automl.features.texts import decoded_all, text_of_rows

ROWS, KNOWN = 60, 40
RNG = np.random.default_rng(0)


def _of(frame: Frame, name: str) -> list[float]:
    return [float(value) for value in frame.columns[frame.names.index(name)]]


def _tables(**columns: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    table = pd.DataFrame(columns)
    return table[:KNOWN], table[KNOWN:].reset_index(drop=True)


def test_lists_of_amounts_are_signals_and_other_lists_are_not() -> None:
    amounts = [[0.5, *RNG.normal(size=n)] for n in range(ROWS)]
    assert holds(pd.Series(amounts)) == "signals"
    assert holds(pd.Series([[*range(n, n + 30)] for n in range(ROWS)])) == "signals"
    assert holds(pd.Series([[n, n + 1] for n in range(ROWS)])) == "lists"  # may be names
    assert holds(pd.Series([["a", "b"]] * ROWS)) == "lists"
    assert holds(pd.Series([[0.5, "b"]] * ROWS)) == "lists"
    assert holds(pd.Series([[0.5, 10**400]] * ROWS)) == "lists"
    assert holds(pd.Series([[]] * ROWS)) == "lists"


def test_signals_are_no_texts() -> None:
    signals = [[0.5, None, *RNG.normal(size=n)] for n in range(ROWS)]
    train, test = _tables(told=signals)
    assert text_of_rows(train, test) == {}
    for frame in (frame_of(train, test), plain_frame_of(train, test)):
        assert _of(frame, "told length") == [2.0 + n for n in range(ROWS)]
        assert _of(frame, "told last")[1:] == [np.float32(signal[-1]) for signal in signals[1:]]
        assert "told words" not in frame.names


def test_lists_that_fill_squares_are_pictures() -> None:
    dark = np.zeros((16, 16))
    left, right = dark.copy(), dark.copy()
    left[:, :8], right[:, 8:] = 1.0, 1.0
    cells: list[object] = [left.ravel().tolist(), right.ravel().tolist(), None]
    assert side_of(cells) == 16
    told = descriptions(cells, 16)["square left against right"]
    assert told[0] > 0 > told[1]
    assert np.isnan(told[2])
    assert (
        side_of([[0.5] * 256, [0.5] * 255]) == side_of([[0.5] * 257]) == side_of([[0.5] * 9]) == 0
    )


def test_large_whole_numbers_are_told_apart() -> None:
    names = 2_000_000_000 + np.arange(ROWS) // 3
    frame = frame_of(*_tables(a=names, b=names.astype(str), c=RNG.normal(size=ROWS)))
    for column in "ab":
        assert len(np.unique(frame.repeated[column])) == ROWS // 3
        assert f"{column} count" not in frame.names  # all have three rows


def test_numbers_that_are_missing_have_no_code() -> None:
    values = np.where(np.arange(ROWS) % 5 == 0, np.nan, np.arange(ROWS) // 4)
    frame = frame_of(*_tables(a=values))
    assert (frame.repeated["a"] < 0).tolist() == np.isnan(values).tolist()


def test_only_quotes_around_nearly_all_texts_are_taken_off() -> None:
    said = ['He said: "Go"', '"You are wrong," said he', '"Go"', "Go"]
    assert decoded_all(said) == said
    assert decoded_all(['"Go"', '"He said: \\"Go\\""', ""]) == ["Go", 'He said: "Go"', ""]


def test_what_is_escaped_in_texts_is_counted() -> None:
    texts = [
        "one line of words" + " and more" * (n % 7) + "\\nanother" * (n % 3) for n in range(ROWS)
    ]
    frame = frame_of(*_tables(told=texts))
    assert _of(frame, "told lines") == [n % 3 for n in range(ROWS)]


def test_plain_features_of_texts_are_their_lengths() -> None:
    texts = [f"{RNG.integers(1e9)} words of some text" + " more" * n for n in range(ROWS)]
    train, test = _tables(told=texts)
    frame = plain_frame_of(train, test)
    assert dict(zip(frame.names, [column.tolist() for column in frame.columns], strict=True)) == {
        "told signs": [len(text) for text in texts]
    }
