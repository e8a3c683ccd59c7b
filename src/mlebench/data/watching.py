"""Telling whoever watches how far a preparation is."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Is told what a preparation does; nothing that it does may depend on it."""

    def stage(self, name: str) -> None:
        """A stage of the pipeline begins."""

    def advance(self, done: int, total: int | None) -> None:
        """So many bytes of the stage are done, of so many in all if that is known."""


class Nobody:
    """Watches nothing."""

    def stage(self, name: str) -> None:
        """Not of interest."""

    def advance(self, done: int, total: int | None) -> None:
        """Not of interest."""
