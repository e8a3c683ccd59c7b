"""Checking as a job of `mlebench.processes`: one uploaded file, in a process apart."""

from __future__ import annotations

import logging
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mlebench.errors import MlebenchError, ProcessLostError, shortened
from mlebench.grading.answers import AnswersShelf
from mlebench.grading.validation import validate
from mlebench.grading.warming import Warmth
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)

OUT_OF_MEMORY = "out_of_memory"


class CheckingHandler:
    """Checks uploads to the competitions of one registry.

    What it keeps of answers are the columns that checks may see.
    """

    def __init__(self, registry: dict[str, Any], most_bytes: int) -> None:
        self._registry = Registry(**registry)
        self._most_bytes = most_bytes
        self._shelf = AnswersShelf()
        self._known: dict[str, Competition] = {}
        self._warmth = Warmth(self._registry)

    def get_ready(self, job: dict[str, Any]) -> None:
        """Import the libraries that the competition's own files import."""
        self._warmth.get_ready(job["competition_id"])

    def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """The verdict on an upload, or what kept us from having one.

        That is for the log of the host: it may name its places.
        """
        competition_id = job["competition_id"]
        try:
            if competition_id not in self._known:
                self._known[competition_id] = self._registry.get_competition(competition_id)
            verdict = validate(
                Path(job["path"]),
                self._known[competition_id],
                most_bytes=self._most_bytes,
                shelf=self._shelf,
            )
        except ProcessLostError:
            raise
        except MemoryError:
            return {"trouble": OUT_OF_MEMORY, "message": "It needs too much memory."}
        except MlebenchError as error:
            return {"trouble": type(error).__name__, "message": shortened(str(error))}
        except BaseException as error:  # a grader of the user's may raise anything
            logger.debug("Where it failed", exc_info=error)
            return {"trouble": "failed", "message": f"{type(error).__name__} was raised."}
        return {"verdict": asdict(verdict)}
