"""One submission, graded or validated for somebody who waits for it.

Whose grader is ours is called right here. A user's grader gets a process of its own, as in a
batch, so that whatever it does to its process, or prints, is not taken for a verdict.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

from mlebench import errors
from mlebench.errors import GraderError, MlebenchError, shortened
from mlebench.grading.batch import BatchLimits
from mlebench.grading.report import CompetitionReport
from mlebench.grading.single import NOTHING, grade_csv
from mlebench.grading.validation import Verdict, validate
from mlebench.grading.worker import OUT_OF_MEMORY
from mlebench.processes import Job, Loss, Runner
from mlebench.registry import Registry

Result = TypeVar("Result")


def grade_isolated(path: str, competition_id: str, registry: Registry) -> CompetitionReport:
    """As `grade_csv`; raises `GraderError` if the grader does not live to answer."""
    if registry.is_built_in(competition_id):
        return grade_csv(path, registry.get_competition(competition_id))
    place = None if path == NOTHING else _absolute(path)
    report = _ask("grade", place, competition_id, registry, CompetitionReport.from_dict)
    return replace(report, submission_path=path)


def validate_isolated(path: Path, competition_id: str, registry: Registry) -> Verdict:
    """As `validate`; raises `GraderError` if the grader does not live to answer."""
    if registry.is_built_in(competition_id):
        return validate(path, registry.get_competition(competition_id))
    place = _absolute(str(path))
    return _ask("validate", place, competition_id, registry, lambda told: Verdict(**told))


class IsolatedHandler:
    """Answers with a result, or with an error to be raised by whoever asked."""

    def __init__(self, registry: dict[str, Any]) -> None:
        self._registry = Registry(**registry)

    def get_ready(self, job: dict[str, Any]) -> None:
        """There is but one job; importing for it is its own business."""

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """Grade or validate."""
        try:
            competition = self._registry.get_competition(job["competition_id"])
            if job["what"] == "grade":
                return {"result": grade_csv(job["path"], competition).to_dict()}
            _fall_silent()
            return {"result": asdict(validate(Path(job["path"]), competition))}
        except MlebenchError as error:
            return {"error": type(error).__name__, "message": shortened(str(error))}
        except MemoryError:
            return {"error": GraderError.__name__, "message": OUT_OF_MEMORY}
        except BaseException as error:  # a grader may raise anything
            return {"error": GraderError.__name__, "message": f"{type(error).__name__} was raised."}


def _absolute(path: str) -> str:
    """A path for a process that works elsewhere."""
    return os.path.abspath(path)  # noqa: PTH100 (links stay)


def _fall_silent() -> None:
    """Print nothing from here on: what a grader says may quote the answers.

    Validating is for participants, who may do it as often as they like.
    """
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _ask(
    what: str,
    place: str | None,
    competition_id: str,
    registry: Registry,
    understand: Callable[[dict[str, Any]], Result],
) -> Result:
    job = Job({"what": what, "path": place, "competition_id": competition_id})
    settings = {"registry": registry.settings()}
    handler = f"{__name__}:{IsolatedHandler.__name__}"
    with Runner(handler, settings, size=1, limits=BatchLimits().of_a_process()) as runner:
        ((_, outcome),) = runner.run([job])
    if isinstance(outcome, Loss):
        raise GraderError(f"The grader of {competition_id} was stopped. {outcome.message}")
    if "error" in outcome:
        kind = getattr(errors, str(outcome["error"]), None)
        if not (isinstance(kind, type) and issubclass(kind, MlebenchError)):
            kind = GraderError
        raise kind(str(outcome.get("message")))
    try:
        return understand(outcome["result"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise GraderError(f"The grader of {competition_id} gave an answer that is none.") from error
