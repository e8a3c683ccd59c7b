"""How far runs are, in lines: where no bar is drawn, or somebody wants every detail."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlebench.runs.group import RunGroup
    from mlebench.runs.state import RunState

logger = logging.getLogger(__name__)


class RunLines:
    """A line for a group, and for each run of it that begins, ends or is graded."""

    def __init__(self, group: RunGroup) -> None:
        has_bar = sys.stderr is not None and sys.stderr.isatty()
        self._is_told = not has_bar or logger.isEnabledFor(logging.DEBUG)
        states = group.state.runs()
        self._told = {state.run_id: state.status for state in states}
        self._say(f"{group.folder}: {_done(states)} of {len(states)} runs done")

    def follow(self, state: RunState) -> None:
        """Say what has become of a run, once."""
        if self._told.get(state.run_id) == state.status:
            return
        self._told[state.run_id] = state.status
        if what := _in_words(state):
            self._say(f"{state.run_id} (seed {state.seed}): {what}")

    def _say(self, line: str) -> None:
        if self._is_told:
            logger.info("%s", line)


def _done(states: list[RunState]) -> int:
    return sum(state.is_final for state in states)


def _in_words(state: RunState) -> str | None:
    from mlebench.runs.outcomes import status_in_words

    if state.status == "waiting":
        return None  # lost or interrupted, which is told elsewhere
    if state.status == "ended":
        return f"ended after {state.seconds or 0:.0f} seconds ({state.cause})"
    told = status_in_words(state)
    if told == "graded" and state.report:
        medal = state.report.get("medal")
        return f"graded, score {state.report.get('score')}" + (f", {medal}" if medal else "")
    return told
