"""What it takes to go on with a group, handed from one part to the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mlebench.printable import print_to_stderr
from mlebench.registry import Registry
from mlebench.runs.attempt import Assignment
from mlebench.runs.executors import Executor
from mlebench.runs.group import RunGroup
from mlebench.runs.state import RunState

OnChange = Callable[[RunState], None]
OnLog = Callable[[str], None]


@dataclass(frozen=True)
class Work:
    """All that it takes to go on with a group.

    Attributes:
        group: The group.
        registry: Where competitions and their data are.
        executor: Where it works.
        assign: Makes the assignment of a run.
        on_change: Called with a run whose state has changed.
        on_log: Called with each line that grading processes log or graders print.
    """

    group: RunGroup
    registry: Registry
    executor: Executor
    assign: Callable[[RunState], Assignment]
    on_change: OnChange
    on_log: OnLog = print_to_stderr
