"""The vocabulary of declarations documents itself completely and truly."""

from __future__ import annotations

import pandas as pd
import pytest

from mlebench import submission
from mlebench.authoring.vocabulary import (
    COLUMNS,
    MATCHED,
    PUBLIC,
    RULES,
    SEVERAL_KEYS,
    as_code,
    render,
)
from tests.docs.generate import PAGE, generated_part

EXAMPLES = [*COLUMNS, *RULES, *MATCHED, SEVERAL_KEYS]


@pytest.mark.parametrize("example", EXAMPLES, ids=as_code)
def test_shown_code_makes_what_is_described(example: object) -> None:
    assert eval(as_code(example), vars(submission)) == example


def test_every_kind_is_shown() -> None:
    shown = {type(example).__name__ for example in EXAMPLES}
    shown |= {type(example.matching).__name__ for example in MATCHED}
    abstract = {"Column", "Matching", "Rule", "Trial", "Checked", "Expected"}
    kinds = {name for name in submission.__all__ if isinstance(getattr(submission, name), type)}
    assert kinds - abstract == shown


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: type(column).__name__)
def test_shown_cells_are_valid(column: submission.Column) -> None:
    block = render().partition(f"`{type(column).__name__}`\n")[2].partition("```csv\n")[2]
    cells = [line.partition(",")[2] for line in block.partition("```")[0].splitlines()[1:]]
    assert len(cells) == len(PUBLIC)
    texts = pd.Series(cells)
    numeric = isinstance(column, submission.Number)
    column.parse(pd.to_numeric(texts) if numeric else texts, PUBLIC)


def test_page_for_authors_shows_what_the_classes_say() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert generated_part(page).strip() == render().strip(), "run `make docs`"
