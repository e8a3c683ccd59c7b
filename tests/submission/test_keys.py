"""Comparing keys, against a dictionary that looks at one key after the other."""

from __future__ import annotations

import tracemalloc
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import InvalidSubmissionError
from mlebench.submission import keys, sorted_pairs
from mlebench.submission import words as words_module
from mlebench.submission.keys import KeyColumns, KeyTable
from mlebench.submission.sorted_pairs import Pairs

Key = tuple[Any, ...]

ARROW_TEXT = pd.ArrowDtype(pa.string())
LARGE_TEXT = pd.ArrowDtype(pa.large_string())


def expected(submitted: Sequence[Key], answers: Sequence[Key]) -> dict[str, Any]:
    """What a dictionary says; a key with an empty cell equals nothing."""
    rows: dict[Key, list[int]] = defaultdict(list)
    for row, key in enumerate(answers):
        if None not in key:
            rows[key].append(row)
    known = {key: list(places) for key, places in rows.items()}
    pairs, unknown, repeated = [], [], []
    for row, key in enumerate(submitted):
        if None in key or key not in known:
            unknown.append(row)
        elif rows[key]:
            pairs.append((row, rows[key].pop(0)))
        else:
            repeated.append(row)
    missing = sorted(set(range(len(answers))) - {wanted for _, wanted in pairs})
    return {"pairs": pairs, "unknown": unknown, "repeated": repeated, "missing": missing}


def found(pairs: Pairs) -> dict[str, Any]:
    return {
        "pairs": sorted(zip(pairs.given.tolist(), pairs.wanted.tolist(), strict=True)),
        "unknown": sorted(pairs.unknown.tolist()),
        "repeated": sorted(pairs.repeated.tolist()),
        "missing": sorted(pairs.missing.tolist()),
    }


def key_columns(submitted: pd.DataFrame, answers: pd.DataFrame) -> KeyColumns:
    return KeyColumns(KeyTable.of(submitted), KeyTable.of(answers))


def check(submitted: pd.DataFrame, answers: pd.DataFrame) -> None:
    """Compare everything that `KeyColumns` says with the dictionary."""
    mine, theirs = plain(submitted), plain(answers)
    columns = key_columns(submitted, answers)
    pairs = columns.pair()
    assert found(pairs) == expected(mine, theirs)
    for row, twin in zip(pairs.repeated, pairs.twins, strict=True):
        assert mine[row] == theirs[twin]
    assert columns.are_equal() == (mine == theirs and not any(None in key for key in mine))


def plain(table: pd.DataFrame) -> list[Key]:
    cells = [[None if pd.isna(cell) else cell for cell in table[name].tolist()] for name in table]
    return list(zip(*cells, strict=True))


def table(rows: Sequence[Key], *types: Any) -> pd.DataFrame:
    cells = zip(*rows, strict=True) if rows else [()] * len(types)
    return pd.DataFrame(
        {
            str(number): pd.Series(list(column), dtype=kind)
            for number, (column, kind) in enumerate(zip(cells, types, strict=True))
        }
    )


# Texts that agree in one, two or all eight of their words, or differ only where they end.
beginnings = st.sampled_from(["", "a" * 7, "a" * 8, "a" * 16, "é" * 4, "x" * 63, "x" * 64])
endings = st.text("ab\0é", max_size=3)
texts = st.builds(str.__add__, beginnings, endings)
long_texts = texts | st.builds(lambda text, times: text * times, endings, st.integers(0, 50))
any_texts = st.text(max_size=20).map(lambda text: text.encode(errors="ignore").decode())
edges = [0, 1, -1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
whole = st.sampled_from(edges) | st.integers(-3, 3)
unsigned = st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1])
fractions = st.sampled_from([0.0, -0.0, 1.0, 1.5, -1.0, 2.0**53, 2.0**63, -(2.0**63), 1e300])
infinite = st.sampled_from([float("inf"), float("-inf")])


def column_of(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Key]]:
    return st.lists(cells.map(lambda cell: (cell,)), max_size=14)


@pytest.mark.parametrize("types", [(ARROW_TEXT, object), (object, LARGE_TEXT), (object, object)])
@given(column_of(st.none() | long_texts), column_of(st.none() | long_texts))
def test_texts_are_paired_as_a_dictionary_does(
    types: tuple[Any, Any], submitted: list[Key], answers: list[Key]
) -> None:
    check(table(submitted, types[0]), table(answers, types[1]))


@given(column_of(st.none() | any_texts), column_of(any_texts))
def test_texts_of_all_scripts_are_paired_as_a_dictionary_does(
    submitted: list[Key], answers: list[Key]
) -> None:
    check(table(submitted, ARROW_TEXT), table(answers, ARROW_TEXT))


@given(st.lists(texts, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_shuffled_texts_are_all_paired(listed: list[str], random: Any) -> None:
    shuffled = random.sample(listed, len(listed))
    check(
        table([(text,) for text in shuffled], ARROW_TEXT),
        table([(text,) for text in listed], object),
    )


@pytest.mark.parametrize(
    ("mine", "theirs", "types"),
    [
        (whole, whole, (np.int64, np.int64)),
        (unsigned, unsigned, (np.uint64, np.uint64)),
        (unsigned, whole, (np.uint64, np.int64)),
        (whole, unsigned, (np.int64, np.uint64)),
        (fractions | infinite | st.none(), whole, (np.float64, np.int64)),
        (whole, fractions | st.none(), (np.int64, np.float64)),
        (fractions | st.none(), unsigned, (np.float64, np.uint64)),
        (fractions | infinite | st.none(), fractions | st.none(), (np.float64, np.float64)),
        (st.booleans(), whole, (np.bool_, np.int64)),
        (st.integers(-9, 9).map(float), fractions, (np.float32, np.float64)),
    ],
)
@given(st.data())
def test_numbers_are_paired_by_value(mine: Any, theirs: Any, types: Any, data: Any) -> None:
    submitted, answers = data.draw(column_of(mine)), data.draw(column_of(theirs))
    check(table(submitted, types[0]), table(answers, types[1]))


small_keys = st.tuples(
    st.sampled_from(["a", "b", "a" * 9, "b" * 9, None]),
    st.integers(0, 2),
    st.sampled_from([0.0, -0.0, 1.5, None]),
)


@given(st.lists(small_keys, max_size=20), st.lists(small_keys, max_size=20))
def test_several_columns_are_one_key(submitted: list[Key], answers: list[Key]) -> None:
    types = (object, np.int64, np.float64)
    check(table(submitted, *types), table(answers, *types))


@given(st.lists(small_keys, max_size=20), st.lists(small_keys, max_size=20))
def test_different_keys_with_the_same_fingerprint_are_told_apart(
    submitted: list[Key], answers: list[Key]
) -> None:
    types = (object, np.int64, np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "fingerprint", np.bitwise_xor.reduce)
        check(table(submitted, *types), table(answers, *types))


@given(column_of(texts), column_of(texts))
def test_different_texts_with_the_same_fingerprint_are_told_apart(
    submitted: list[Key], answers: list[Key]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "fingerprint", np.bitwise_xor.reduce)
        check(table(submitted, object), table(answers, object))


@given(st.lists(st.integers(0, 2**64 - 1), unique=True, min_size=2), st.integers(0, 2**64 - 1))
def test_fingerprints_differ_where_only_the_first_words_do(first: list[int], other: int) -> None:
    words = np.array(first, np.uint64), np.full(len(first), other, np.uint64)
    assert len(np.unique(words_module.fingerprint(words))) == len(first)
    assert len(np.unique(words_module.fingerprint(words[:1]))) == len(first)


@pytest.mark.parametrize("bits", [0, 1, 3])
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5), max_size=30))
def test_rows_are_sorted_by_fingerprint_and_then_by_appearance(
    bits: int, fingerprints: list[int]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_pairs, "ROW_BITS", bits)
        rows = sorted_pairs.sort_fingerprints(np.array(fingerprints, np.uint64))[0]
    assert rows.tolist() == sorted(range(len(fingerprints)), key=fingerprints.__getitem__)


@given(column_of(st.none() | texts), column_of(st.none() | texts))
def test_pairing_does_not_depend_on_the_way_of_sorting(
    submitted: list[Key], answers: list[Key]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorted_pairs, "ROW_BITS", 0)
        check(table(submitted, object), table(answers, object))


@given(column_of(st.none() | long_texts), st.integers(0, 5), st.integers(0, 5), st.booleans())
def test_slices_and_chunks_of_arrow_columns_are_read_from_their_places(
    rows: list[Key], start: int, end: int, is_large: bool
) -> None:
    kind = pa.large_string() if is_large else pa.string()
    cells = pa.array([cell for (cell,) in rows], kind)
    middle = cells[start : max(len(cells) - end, start)]
    chunks = pa.chunked_array([middle[:2], middle[2:3], middle[3:]], kind)
    submitted = pd.DataFrame({"0": pd.Series(chunks, dtype=pd.ArrowDtype(kind))})
    whole_table = pd.DataFrame({"0": pd.Series(cells, dtype=pd.ArrowDtype(kind))})
    check(submitted, whole_table)
    check(whole_table, submitted)
    check(submitted, whole_table.iloc[start : len(whole_table) - end])


def whole_number_with_fingerprint(wanted: int) -> int:
    """Undo the mixing of a single word; small fingerprints survive its second half."""
    return wanted * pow(int(words_module.SPREAD), -1, 2**64) % 2**64


@pytest.mark.parametrize("fingerprint", range(4))
def test_an_empty_key_equals_no_number_whatever_its_fingerprint(fingerprint: int) -> None:
    number = np.array([whole_number_with_fingerprint(fingerprint)], np.uint64)
    assert words_module.fingerprint([number]).tolist() == [fingerprint]
    # The same bits as a float, since only floats can be empty.
    for real in (number.view(np.float64)[0], 7.0):
        for empty in ([None, real], [real, None], [None]):
            check(
                table([(cell,) for cell in empty], np.float64),
                table([(real,), (7.5,)], np.float64),
            )
            check(table([(real,)], np.float64), table([(cell,) for cell in empty], np.float64))


def test_forged_fingerprints_pass_no_key_off_as_a_repetition() -> None:
    """The words of a key can be chosen so that its fingerprint is that of another key."""
    first, second, other = 5, 11, 12
    mixed = words_module.fingerprint([np.array([first], np.uint64)])
    forged = int(np.uint64(second) ^ np.uint64(other) ^ mixed[0])
    spread_back = forged ^ (forged >> 32)
    begin = whole_number_with_fingerprint(spread_back)
    honest, twin = (first, second), (int(np.uint64(begin).view(np.int64)), other)
    words = [
        np.array(column, np.int64).view(np.uint64) for column in zip(honest, twin, strict=True)
    ]
    assert len(np.unique(words_module.fingerprint(words))) == 1
    types = (np.int64, np.int64)
    for submitted in ([honest, twin], [twin, honest], [twin], [honest, honest, twin, twin]):
        check(table(submitted, *types), table([honest, (1, 1)], *types))
        check(table(submitted, *types), table([twin, honest], *types))


@pytest.mark.parametrize(
    ("submitted", "answers", "holds"),
    [
        (["1"], [1], "text"),
        ([1], ["a" * 1000], "numbers"),
        ([1.5, None], ["a"], "numbers"),
    ],
)
def test_text_and_numbers_are_no_ids_of_each_other(
    submitted: list[Any], answers: list[Any], holds: str
) -> None:
    tables = (pd.DataFrame({"id": cells}) for cells in (submitted, answers))
    with pytest.raises(InvalidSubmissionError, match=f"'id' holds {holds}, but") as caught:
        key_columns(*tables).pair()
    assert caught.value.code == "wrong_ids"
    assert len(str(caught.value)) < 200
    assert "np." not in str(caught.value)


def test_a_column_without_any_key_is_neither_text_nor_numbers() -> None:
    for answers in (table([("a",), ("b",)], object), table([(1,), (2,)], np.int64)):
        nothing = pd.DataFrame({"0": [np.nan, np.nan]})
        assert found(key_columns(nothing, answers).pair())["unknown"] == [0, 1]
        header_only = pd.DataFrame({"0": pd.Series([], dtype=object)})
        assert found(key_columns(header_only, answers).pair())["missing"] == [0, 1]
        assert found(key_columns(answers, header_only).pair())["unknown"] == [0, 1]


def test_one_enormous_key_does_not_blow_up_the_others() -> None:
    ids = [f"id-{number}" for number in range(100_000)]
    given_ids = [*reversed(ids[1:]), "x" * 10_000_000]
    submitted, answers = (
        pd.DataFrame({"id": pd.Series(pa.array(cells), dtype=ARROW_TEXT)})
        for cells in (given_ids, ids)
    )
    pool = pa.default_memory_pool()
    arrow_before, most_before = pool.bytes_allocated(), pool.max_memory()
    tracemalloc.start()
    try:
        pairs = key_columns(submitted, answers).pair()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (pairs.unknown.tolist(), pairs.missing.tolist()) == ([99_999], [0])
    assert most < 100_000_000
    assert pool.max_memory() <= max(most_before, arrow_before + 100_000_000)


IDS = st.sampled_from(["a", "b", "ab", "abcdefgh", "abcdefghi", "x" * 17, "y" * 70, "a\0", None])


@given(st.lists(st.lists(IDS, min_size=1, max_size=9), min_size=2, max_size=6))
def test_answers_that_are_kept_pair_each_submission_as_new_ones_do(tables: list[list[Any]]) -> None:
    kept, *submissions = (
        pd.DataFrame({"id": pd.Series(pa.array(ids, pa.string()), dtype=ARROW_TEXT)})
        for ids in tables
    )
    answers = KeyTable.of(kept)
    for submitted in submissions:
        columns = KeyColumns(KeyTable.of(submitted), answers)
        assert found(columns.pair()) == expected(plain(submitted), plain(kept))
        assert columns.may_repeat() >= kept["id"].dropna().duplicated().any()


def test_the_index_of_kept_answers_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make = keys.sort_fingerprints
    monkeypatch.setattr(
        keys, "sort_fingerprints", lambda words: made.append(len(words)) or make(words)
    )
    answers = KeyTable.of(pd.DataFrame({"id": [f"id{number}" for number in range(50)]}))
    for seed in range(3):
        shuffled = answers.frame.sample(frac=0.5, random_state=seed)
        KeyColumns(KeyTable.of(shuffled), answers).pair()
    assert sorted(made) == [25, 25, 25, 50]
    odd = pd.DataFrame({"id": ["i" * 40]})
    for submitted in (odd, shuffled, shuffled):  # an odd one costs itself, and the next one
        KeyColumns(KeyTable.of(submitted), answers).pair()
    assert made.count(50) == 3
