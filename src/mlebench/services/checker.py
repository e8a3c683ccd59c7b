"""The host's side of checking: hands uploads to processes and makes verdicts of what they say."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any

from mlebench.errors import CallRefusedError, CannotStartError, shortened
from mlebench.grading.validation import Verdict
from mlebench.processes import Job, Loss, Runner
from mlebench.processes.runner import Outcome
from mlebench.registry import Registry
from mlebench.services.calls import refused_call
from mlebench.services.checking import OUT_OF_MEMORY, CheckingHandler
from mlebench.services.limits import ServiceLimits
from mlebench.services.turns import FairTurns

logger = logging.getLogger(__name__)

UPLOAD_NAME = "submission.csv"
ELSEWHERE = "<the host>"
# What callers are told of losses and troubles; the log has what was said.
TOLD = {
    "timeout": "The check took too long.",
    "too_many_processes": "The check started too many processes.",
    OUT_OF_MEMORY: "The check needs more memory than it may have.",
    "NotPreparedError": "The data of this competition are not there.",
    "DamagedAnswersError": "The data of this competition are damaged.",
    "UnfittingAnswersError": "The data of this competition are damaged.",
}
OTHERWISE = "The check ended without a verdict."


class Checker:
    """Has uploads checked in processes, some at a time, of each door in turn."""

    def __init__(self, registry: Registry, workers: int, limits: ServiceLimits) -> None:
        self._registry = registry
        self._turns = FairTurns(workers, limits.checks or max(1, workers - 1))
        self._runner = Runner(
            f"{CheckingHandler.__module__}:{CheckingHandler.__name__}",
            {"registry": registry.settings(), "most_bytes": limits.upload_bytes},
            size=workers,
            limits=limits.of_a_process(workers),
            # A grader may print answers; whoever wants to see that on the host asks for details.
            sink=lambda line: logger.debug("%s", line),
        )

    def __enter__(self) -> Checker:
        return self

    def __exit__(self, *exception: object) -> None:
        self._runner.__exit__(*exception)

    async def check(self, path: Path, competition_id: str, door: object) -> Verdict:
        """The verdict on a file; cancelled while it waits for its turn, it is not checked.

        Args:
            path: The file.
            competition_id: What it is submitted to.
            door: Whoever came through it; doors take turns.

        Raises:
            CallRefusedError: There is none, for no fault of the file's.
        """
        job = Job(
            {"path": str(path), "competition_id": competition_id},
            lane=self._lane(competition_id),
            label=competition_id,
        )
        try:
            outcome = await self._outcome(job, door)
        except CannotStartError as error:
            raise _without_verdict(competition_id, "cannot_start", str(error)) from error
        if isinstance(outcome, Loss):
            raise _without_verdict(competition_id, outcome.reason, outcome.message)
        if "trouble" in outcome:
            trouble, message = str(outcome["trouble"]), str(outcome.get("message"))
            raise _without_verdict(competition_id, trouble, message)
        try:
            return _understood(outcome["verdict"], self._places(path, competition_id))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise _without_verdict(competition_id, "no_answer", repr(error)) from error

    async def _outcome(self, job: Job, door: object) -> Outcome:
        leave = await self._turns.enter(door)
        try:
            future = self._runner.submit(job)
        except BaseException:
            leave()
            raise
        loop = asyncio.get_running_loop()

        def leave_at_the_end(_: object) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and all turns with it
                loop.call_soon_threadsafe(leave)

        # Not when nobody waits for it any more: the process is at work on it until then.
        future.add_done_callback(leave_at_the_end)
        return await asyncio.wrap_future(future)

    def _lane(self, competition_id: str) -> str | None:
        """Ours stay warm, each for itself; a competition of the user's gets a process each time."""
        is_ours = self._registry.is_built_in(competition_id)
        return f"built-in {competition_id}" if is_ours else None

    def _places(self, path: Path, competition_id: str) -> dict[str, str]:
        """Places on the host, and what stands for them in what a caller is told."""
        folder = self._registry.folder_of(competition_id)
        others = (path.parent, self._registry.get_data_dir(), folder, folder.parent)
        return {str(path): UPLOAD_NAME} | {str(place): ELSEWHERE for place in others}


def _understood(told: dict[str, Any], places: dict[str, str]) -> Verdict:
    """The verdict that a process gave, which may be one of the user's and give anything."""

    def without_places(text: str) -> str:
        for place, name in places.items():
            text = text.replace(place, name)
        return shortened(text)

    error = told["error"]
    if error is not None:
        error = {
            "code": str(error["code"]),
            "message": without_places(str(error["message"])),
            "column": None if error["column"] is None else str(error["column"]),
            "rows": [int(row) for row in error["rows"]],
        }
    is_valid = told["is_valid"]
    if not isinstance(is_valid, bool) or is_valid is not (error is None):
        raise ValueError("This is no verdict.")
    return Verdict(is_valid, without_places(str(told["result"])), error)


def _without_verdict(competition_id: str, code: str, message: str) -> CallRefusedError:
    logger.error("A submission to %s could not be checked: %s: %s", competition_id, code, message)
    return refused_call(500, code, TOLD.get(code, OTHERWISE))
