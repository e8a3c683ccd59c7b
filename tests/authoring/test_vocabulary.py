"""The vocabulary of declarations documents itself completely and truly."""

from __future__ import annotations

from pkgutil import iter_modules
from types import ModuleType

import msgspec
import pandas as pd
import pytest

from mlebench import metrics, preparing, submission
from mlebench.agents.facts import AgentFile, Resources
from mlebench.authoring.fields import AGENT, COMPETITION, field_docs, render_fields
from mlebench.authoring.functions import METRICS, PREPARING, functions_of, render_functions
from mlebench.authoring.vocabulary import (
    COLUMNS,
    MATCHED,
    PUBLIC,
    RULES,
    SEVERAL_KEYS,
    as_code,
    render,
)
from mlebench.registry.facts import Facts, KnownIssue, LeaderboardFacts
from tests.docs.generate import PARTS, Part

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


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_pages_for_authors_show_what_the_code_says(part: Part) -> None:
    assert part.find()[1].strip() == part.render().strip(), "run `make docs`"


@pytest.mark.parametrize(
    "kind",
    [Facts, LeaderboardFacts, KnownIssue, AgentFile, Resources],
    ids=lambda kind: kind.__name__,
)
def test_every_field_of_the_facts_is_explained(kind: type[msgspec.Struct]) -> None:
    assert {*field_docs(kind)} == {*kind.__struct_fields__}
    tables = render_fields(AGENT if kind in AGENT else COMPETITION)
    for name in kind.__struct_fields__:
        assert f"| `{name}` | " in tables


@pytest.mark.parametrize(("package", "listed"), [(metrics, METRICS), (preparing, PREPARING)])
def test_every_function_for_authors_is_listed(
    package: ModuleType, listed: tuple[ModuleType, ...]
) -> None:
    named = {module.__name__.rpartition(".")[2] for module in listed}
    others = {module.name for module in iter_modules(package.__path__)} - named
    # What scores share, two families in one, and how many edits are counted at once; what keeps
    # preparations from harm without being called by them.
    assert others <= {"pairs", "classification", "edits"} | {
        "bounds",
        "extraction",
        "lacking_columns",
        "reading",
        "trail",
    }
    lines = render_functions().splitlines()
    for function in (function for module in listed for function in functions_of(module)):
        shown = [line for line in lines if line.startswith(f"- `{function.__name__}(")]
        assert shown
        assert all(line.endswith(".") for line in shown)
