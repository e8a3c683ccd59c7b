"""What the shell offers while somebody types an argument."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import get_args

import typer

VARIABLE = "_MLEBENCH_COMPLETE"
"""Set by the shell when it asks how a line could go on."""


def enable_completion() -> None:
    """Answer the shell if it is the shell that asks; otherwise this costs nothing."""
    if VARIABLE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]

        completion_init()


def competition_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """Competitions, those in the folders named on the line included."""
    from mlebench.errors import MlebenchError
    from mlebench.registry.catalog import Catalog

    folders = ctx.params.get("competitions_dir")
    try:
        known = Catalog(folders or None).list_known_ids()
    except (MlebenchError, OSError):
        return []  # whoever runs the line is told; a message would stand amid what is typed
    return _beginning(incomplete, known)


def agent_ids(ctx: typer.Context, incomplete: str) -> list[str]:
    """Agents, those in the folders named on the line included."""
    from mlebench.agents.catalog import look_for_agents
    from mlebench.errors import MlebenchError

    try:
        known = look_for_agents(ctx.params.get("agents_dir") or ()).agents
    except (MlebenchError, OSError):
        return []  # as above
    return _beginning(incomplete, sorted(known))


def splits(incomplete: str) -> list[str]:
    """The built-in splits."""
    from mlebench.registry.catalog import Catalog

    return _beginning(incomplete, Catalog().list_splits())


def editions(incomplete: str) -> list[str]:
    """The editions."""
    from mlebench.registry.facts import Edition

    return _beginning(incomplete, get_args(Edition))


def layouts(incomplete: str) -> list[str]:
    """How archives among public files may be left."""
    from mlebench.data.prepare import LAYOUTS

    return _beginning(incomplete, LAYOUTS)


def codes(incomplete: str) -> list[str]:
    """The codes that can be explained."""
    from mlebench.grading.codes import all_explanations

    return _beginning(incomplete, all_explanations())


def _beginning(start: str, words: Iterable[str]) -> list[str]:
    return [word for word in words if word.startswith(start)]
