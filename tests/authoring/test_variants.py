"""Broken variants of a submission get the verdicts that are promised for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mlebench.authoring.variants import variants
from mlebench.errors import InvalidSubmissionError
from mlebench.submission import MATCHINGS, Matching, Number, RunLengths, Submission, read_table

CELLS = {
    Number: ("0.5", "1.5", "2.5", "3.5", "4.5", "5.5"),
    RunLengths: ("1 1", "", "2 3", "1 2 5 1", "", "4 9"),
}

ids_of_all_kinds = pytest.mark.parametrize(
    "ids",
    [
        ["ape", "bee", "cat", "dog", "eel", "fox"],
        ["1", "2", "3", "4", "5", "6"],
        ["ape", "bee", "cat", "bee", "ape", "bee"],
        ["ape", "bee", "cat", "dog", "eel", "ape"],
        ["ape", "ape", "bee", "bee", "cat", "cat"],
    ],
    ids=" ".join,
)


def is_valid(path: Path, declared: Submission, public: pd.DataFrame) -> bool:
    try:
        declared.check(read_table(path, numbers=declared.number_names), public)
    except InvalidSubmissionError:
        return False
    return True


@ids_of_all_kinds
@pytest.mark.parametrize("matching", MATCHINGS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("column", [Number("x", low=0, high=9), RunLengths("x", pixels=9)])
def test_every_verdict_is_true(
    matching: type[Matching], ids: list[str], column: Any, tmp_path: Path
) -> None:
    is_strict = isinstance(column, Number)
    declared = Submission("id", (column,), matching=matching(), only_these_columns=is_strict)
    gold = pd.DataFrame({"id": ids, "x": CELLS[type(column)]})
    path = tmp_path / "variant.csv"
    gold.to_csv(path, index=False)
    public: Any = read_table(path)[["id"]]
    assert is_valid(path, declared, public)
    tried = list(variants(gold, declared))
    for variant in tried:
        path.write_bytes(variant.content)
        assert is_valid(path, declared, public) == variant.is_valid, variant.name
    assert len({variant.name for variant in tried}) == len(tried) > 10
