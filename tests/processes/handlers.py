"""Handlers for tests; loaded by keepers, which know nothing of pytest."""

from __future__ import annotations

import os
import time
from typing import Any

from mlebench.processes import run_apart


class Executes:
    """Runs the code of a job and tells where it ran."""

    def __init__(self, setting: int = 0) -> None:
        self.setting = setting
        self.jobs = 0

    def get_ready(self, job: dict[str, Any]) -> None:
        pass

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        self.jobs += 1
        found: dict[str, Any] = {"os": os, "time": time, "self": self, "value": None}
        if job.get("apart"):
            return run_apart(lambda: self._run(job["code"], found))
        return self._run(job["code"], found)

    def _run(self, code: str, found: dict[str, Any]) -> dict[str, Any]:
        exec(code, found)
        return {"value": found["value"], "pid": os.getpid(), "jobs": self.jobs}


class CannotStart:
    """Fails when it is made."""

    def __init__(self) -> None:
        raise RuntimeError("no such luck")
