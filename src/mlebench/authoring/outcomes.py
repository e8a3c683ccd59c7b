"""What a selfcheck found: one line for everything that was tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from mlebench.registry.mistakes import describe_mistake


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    name: str
    passed: bool
    detail: str = ""


@dataclass
class Outcome:
    """All that was tried on one competition.

    Attributes:
        competition_id: Which one.
        checks: What was tried.
        sample_score: The score of the sample submission.
        gold_score: The score of the gold submission.
        note: Why nothing was tried, where there is nothing to try.
    """

    competition_id: str
    checks: list[Check] = field(default_factory=list)
    sample_score: float | None = None
    gold_score: float | None = None
    note: str = ""

    @classmethod
    def from_dict(cls, told: dict[str, Any]) -> Outcome:
        """What another process made a dict of."""
        return cls(**{**told, "checks": [Check(**check) for check in told["checks"]]})

    def add(self, name: str, problem: str = "") -> bool:
        """Note a check; it has passed unless there is a problem."""
        self.checks.append(Check(name, not problem, problem))
        return not problem

    def attempt(self, name: str, folder: Path, function: Callable[[], object]) -> bool:
        """Call a function; what it raises is a failed check, noted once, and the others go on."""
        try:
            function()
        except (Exception, SystemExit) as error:  # the author's functions may raise anything
            problem = describe_mistake(folder, error)
            if problem not in [check.detail for check in self.checks]:
                self.add(name, problem)
            return False
        return True

    def without(self, path: str) -> Outcome:
        """The same with paths that begin inside this folder, so that they fit into a table."""
        checks = [replace(check, detail=check.detail.replace(path, "")) for check in self.checks]
        return replace(self, checks=checks)

    @property
    def passed(self) -> bool:
        """Whether every check did."""
        return all(check.passed for check in self.checks)

    @property
    def result(self) -> Literal["ok", "failed", "skipped"]:
        """The outcome in a word."""
        if not self.passed:
            return "failed"
        return "skipped" if self.note else "ok"
