"""Every field of ``competition.yaml`` and ``agent.yaml``, documented from the types behind it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Mapping
from itertools import pairwise
from textwrap import dedent
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from mlebench.agents.facts import AgentFile, Resources
from mlebench.registry.facts import Bundled, Facts, KnownIssue, LeaderboardFacts

Sections = Mapping[type[msgspec.Struct], str]
"""What stands above the table of each level of a file."""

COMPETITION: Sections = {
    Facts: "At the top:",
    LeaderboardFacts: "Below `leaderboard`:",
    Bundled: "Below `bundled`:",
    KnownIssue: "Each entry of `known_issues`:",
}
AGENT: Sections = {AgentFile: "At the top:", Resources: "Below `resources`:"}
WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "`true` or `false`",
    LeaderboardFacts: "see below",
    Bundled: "see below",
    KnownIssue: "see below",
    Resources: "see below",
}
HEAD = ("field", "value", "if left out", "meaning")


def render_fields(sections: Sections = COMPETITION) -> str:
    """A table of the fields for each level of a file, in Markdown."""
    parts = (part for kind, above in sections.items() for part in _section(kind, above))
    return "\n\n".join(parts) + "\n"


def render_agent_fields() -> str:
    """The same for ``agent.yaml``."""
    return render_fields(AGENT)


def _section(kind: type[msgspec.Struct], above: str) -> Iterator[str]:
    yield above
    hints, meanings = get_type_hints(kind), field_docs(kind)
    rows = [
        (f"`{field.name}`", _in_words(hints[field.name]), _default(field), meanings[field.name])
        for field in sorted(msgspec.structs.fields(kind), key=lambda field: not field.required)
    ]
    lines = [HEAD, ("---",) * len(HEAD), *rows]
    yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def field_docs(kind: type) -> dict[str, str]:
    """The first paragraph that stands below each field of a class, those it has from others too."""
    bases = [base for base in reversed(kind.__mro__) if base.__module__ == kind.__module__]
    return {name: text for base in bases for name, text in _own_docs(base).items()}


def _own_docs(kind: type) -> dict[str, str]:
    (definition,) = ast.parse(dedent(inspect.getsource(kind))).body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(str(text.value.value)).partition("\n\n")[0]
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
    }


def _in_words(hint: Any) -> str:
    """What a field may hold."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(_in_words(part) for part in parts if part is not NoneType)
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in parts)
    if origin in (tuple, list):
        return f"list: {_in_words(parts[0])}"
    if origin is dict:
        return "fields with values"
    return WORDS[hint]


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "**required**"
    empty = (None, "", (), msgspec.NODEFAULT, Resources())
    return "" if field.default in empty else f"`{_as_yaml(field.default)}`"


def _as_yaml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
