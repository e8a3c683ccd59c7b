"""Every metric and function for preparing and making up data, listed from their modules."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from mlebench.fixtures import images, scans, sounds, videos, words
from mlebench.metrics import (
    boxes,
    labels,
    masks,
    probabilities,
    ranking,
    rectangles,
    regression,
    spheres,
    tags,
    texts,
    volumes,
)
from mlebench.preparing import archives, bson, coco, files, partitions, tables, tfrecords, tokens

METRICS = (
    regression,
    labels,
    probabilities,
    ranking,
    tags,
    texts,
    masks,
    volumes,
    rectangles,
    boxes,
    spheres,
)
PREPARING = (tables, partitions, files, archives, tfrecords, coco, bson, tokens)
FIXTURES = (words, images, sounds, videos, scans)


def render_functions() -> str:
    """The functions of all vocabularies in Markdown."""
    parts = [
        *("## Metrics", *_modules(METRICS)),
        *("## Preparing", *_modules(PREPARING)),
        *("## Making data up", *_modules(FIXTURES)),
    ]
    return "\n\n".join(parts) + "\n"


def _modules(modules: tuple[ModuleType, ...]) -> Iterator[str]:
    for module in modules:
        yield f"### `{module.__name__}`"
        yield _first_sentence(module)
        yield "\n".join(
            f"- `{shown_signature(function)}`: {_first_sentence(function)}"
            for function in functions_of(module)
        )


def functions_of(module: ModuleType) -> list[Callable[..., Any]]:
    """The public functions that a module defines, in its order."""
    return [
        function
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and not name.startswith("_")
        and inspect.unwrap(function).__module__ == module.__name__
    ]


def shown_signature(function: Callable[..., Any]) -> str:
    """A call with the names of all parameters and their defaults, without types."""
    signature = inspect.signature(function)
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in signature.parameters.values()
    ]
    shown = signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
    return f"{function.__name__}{shown}"


def _first_sentence(thing: object) -> str:
    """The first paragraph of what something says about itself, on one line."""
    first = (inspect.getdoc(thing) or "").partition("\n\n")[0]
    return " ".join(first.replace("``", "`").split())
