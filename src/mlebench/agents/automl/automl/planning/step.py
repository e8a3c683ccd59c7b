"""Something to be tried, or to be prepared for what is tried later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..features.unread import Unread
from ..problem import Prediction


@dataclass(frozen=True)
class Notes:
    """What a step that predicts nothing has found out, for the journal.

    Attributes:
        kind: What sort of thing.
        found: The facts of each.
    """

    kind: str
    found: tuple[Mapping[str, Any], ...]


def told_of(unread: Unread) -> Notes | None:
    """The notes on files that cannot be read, if there are any."""
    return Notes("unread", unread.found) if unread.found else None


Work = Callable[[], Prediction | Notes | None]


@dataclass(frozen=True)
class Step:
    """Something to be tried.

    Attributes:
        name: What it is called.
        work: Does it, in a process of its own; steps that only prepare others predict nothing.
        after: The step that has to have ended before, and left something of its name.
        share: Of the whole time, what it may take.
        is_model: Whether it predicts something.
        family: Steps of one family take about as long; without one it is like no other.
    """

    name: str
    work: Work
    after: str | None = None
    share: float = 0.35
    is_model: bool = True
    family: str | None = None
