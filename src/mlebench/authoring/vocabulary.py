"""Every row matching, column kind and rule, documented by itself.

The page for authors shows what is printed here, so that it cannot fall behind the classes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from inspect import cleandoc
from typing import Any

import numpy as np
import pandas as pd

from mlebench.submission import (
    MATCHINGS,
    AsFarAsBothGo,
    AtLeastAsked,
    AtMostAsked,
    AtMostOnce,
    Boxes,
    CastNumber,
    CastText,
    Column,
    CutLabel,
    ExactKey,
    FirstLabel,
    Ignored,
    Join,
    Label,
    LabelSet,
    Matching,
    NotAllBelow,
    NotConstant,
    Number,
    NumberWhere,
    Permutation,
    Points,
    Pooled,
    Position,
    PositionAndKey,
    PositionInGroup,
    RowsSumToOne,
    Rule,
    RunLengths,
    SortedKeys,
    SortedKeySet,
    SortedKnownKeys,
    SortedOnly,
    Submission,
    Text,
    TextLabel,
    TokenList,
    WholeNumbers,
)
from mlebench.submission.keys import KeyTable
from mlebench.submission.matching import Tolerance

# What participants know about the rows of the examples below.
PUBLIC = pd.DataFrame(
    {
        "id": ["a", "b", "c"],
        "cells": ["c1 m1 c2", "c7 c8", "m4 m5 c9"],
        "height": [10, 10, 20],
        "width": [10, 20, 20],
        "scored": [True, False, True],
    }
)

COLUMNS: tuple[Column, ...] = (
    Number("price", low=0),
    CastNumber("confidence"),
    NumberWhere("pressure", where=("scored", True)),
    Ignored("remark"),
    Label("grade", choices=(0, 1, 2)),
    CutLabel("category"),
    FirstLabel("guesses"),
    Text("answer"),
    CastText("formula"),
    TextLabel("species", choices=("Maize", "Cleavers", "Charlock")),
    TokenList("hotel_id", most=5),
    LabelSet("labels", choices=("rust", "scab", "healthy")),
    WholeNumbers("sequence"),
    Permutation("cell_order", of="cells"),
    Boxes("boxes", fields=("name", "confidence", "x", "y", "w", "h"), words=("name",)),
    Points("points", fields=("code", "x", "y"), words=("code",)),
    RunLengths("mask", size=("height", "width")),
)
RULES: tuple[Rule, ...] = (
    RowsSumToOne(("cat", "dog")),
    NotConstant("price"),
    NotAllBelow("price", bound=0),
)
MATCHED = tuple(
    Submission(key="id", columns=(Number("value"),), matching=kind()) for kind in MATCHINGS
)
SEVERAL_KEYS = Submission(key=("case", "day"), columns=(Number("value"),))

# For each matching the keys of some answers and of a file that shows what is particular to it.
DEMONSTRATED: dict[type[Matching], tuple[str, str]] = {
    ExactKey: ("abc", "cab"),
    Position: ("abc", "xyz"),
    PositionAndKey: ("abc", "abc"),
    PositionInGroup: ("aab", "baa"),
    AsFarAsBothGo: ("abc", "ab"),
    SortedKeys: ("baa", "aba"),
    SortedKeySet: ("baa", "bba"),
    SortedKnownKeys: ("abc", "caa"),
    SortedOnly: ("abc", "zxy"),
    AtLeastAsked: ("ab", "cba"),
    AtMostAsked: ("abc", "caa"),
    AtMostOnce: ("abc", "ca"),
    Join: ("abc", "caba"),
    Pooled: ("aab", "bab"),
}

DEVIATIONS = tuple(entry.name for entry in fields(Tolerance))


def render() -> str:
    """The vocabulary in Markdown."""
    parts = ["## Column kinds"]
    for column in COLUMNS:
        parts += _column(column)
    parts.append("## Rules")
    for rule in RULES:
        parts += [f"### `{type(rule).__name__}`", _purpose(rule), _code(rule), rule.describe()]
    parts += ["## Row matchings", *_matchings()]
    return "\n\n".join(parts) + "\n"


def _matchings() -> Iterator[str]:
    yield (
        "Whether the order of the rows can change the score, and the deviations from the sample "
        "submission that each of them lets pass:"
    )
    head = ["matching", "order counts", *(name.replace("_", " ") for name in DEVIATIONS)]
    rows = [
        [
            f"`{type(matching).__name__}`",
            _tick(matching.order_counts),
            *(_tick(getattr(matching.tolerates, name)) for name in DEVIATIONS),
        ]
        for matching in (declared.matching for declared in MATCHED)
    ]
    lines = [head, ["---"] * len(head), *rows]
    yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    for declared in MATCHED:
        yield f"### `{type(declared.matching).__name__}`"
        yield _purpose(declared.matching)
        yield _code(declared)
        yield f"Participants read: “{declared.matching.describe('`id`')}”."
        yield _demonstration(declared.matching)
    yield "A key may consist of several columns:"
    yield _code(SEVERAL_KEYS)


def _demonstration(matching: Matching) -> str:
    """Which rows of a file meet which answers."""
    wanted, given = DEMONSTRATED[type(matching)]
    tables = (KeyTable.of(pd.DataFrame({"id": [*keys]})) for keys in (given, wanted))
    answers, submitted = matching.pair(*tables)
    text = f"With the keys {_keys(wanted)} in the answers and {_keys(given)} in the file, "
    if matching.keeps_key and answers is submitted is None:
        return text + "scoring gets both tables as they are."
    rows = range(len(wanted)) if answers is None else answers
    places = range(len(given)) if submitted is None else submitted
    pairs = [f"{answer + 1} meets row {row + 1}" for answer, row in zip(rows, places, strict=True)]
    return text + f"answer {', '.join(pairs)}."


def _keys(keys: str) -> str:
    return " ".join(f"`{key}`" for key in keys)


def _column(column: Column) -> Iterator[str]:
    yield f"### `{type(column).__name__}`"
    yield _purpose(column)
    yield _code(column)
    yield f"Participants read: “{column.describe()}”."
    cells = column.example(np.random.default_rng(1), PUBLIC)
    table = pd.DataFrame({"id": PUBLIC["id"], column.name: cells})
    yield f"```csv\n{table.to_csv(index=False)}```"
    verdicts = {True: "Passes", False: "Refused"}
    for is_valid, verdict in verdicts.items():
        names = [trial.name for trial in column.trials() if trial.is_valid == is_valid]
        if names:
            yield f"{verdict}: {', '.join(names)}."


def _purpose(thing: object) -> str:
    """What a class says about itself, without the list of its attributes."""
    return cleandoc(type(thing).__doc__ or "").partition("\n\nAttributes:")[0]


def _code(thing: object) -> str:
    return f"```python\n{as_code(thing)}\n```"


def _tick(passes: bool) -> str:
    return "yes" if passes else ""


def as_code(value: Any) -> str:
    """The shortest Python expression that makes this value."""
    if is_dataclass(value):
        given = [
            (entry.name, getattr(value, entry.name))
            for entry in fields(value)
            if getattr(value, entry.name) != _default(entry)
        ]
        arguments = [
            as_code(part)
            if position == 0 and name in ("name", "columns", "column")
            else f"{name}={as_code(part)}"
            for position, (name, part) in enumerate(given)
        ]
        return f"{type(value).__name__}({', '.join(arguments)})"
    if isinstance(value, tuple):
        inner = ", ".join(map(as_code, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _default(entry: Any) -> Any:
    return entry.default_factory() if entry.default_factory is not MISSING else entry.default
