"""What is behind one door: the two addresses that the original has, and a record of each call."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from mlebench.errors import CallRefusedError
from mlebench.services.calls import (
    RATE_LIMITED,
    Answer,
    Received,
    ValidationCall,
    refusal_answer,
    refused_call,
    utc_now,
    verdict_answer,
)
from mlebench.services.checker import Checker
from mlebench.services.refused import RefusedCalls
from mlebench.services.turns import Turnstile
from mlebench.services.uploads import Uploads

logger = logging.getLogger(__name__)

OnCall = Callable[[ValidationCall], None]
Result = TypeVar("Result")


class Reception:
    """Answers whoever comes through a door."""

    def __init__(
        self,
        competition_id: str,
        on_call: OnCall,
        checker: Checker,
        uploads: Uploads,
        turnstile: Turnstile,
    ) -> None:
        self._competition_id = competition_id
        self._on_call = on_call
        self._checker = checker
        self._uploads = uploads
        self._turnstile = turnstile
        self._recording = asyncio.Lock()
        self._refused = RefusedCalls()

    def app(self) -> Starlette:
        """The application that a server serves."""
        app = Starlette(
            routes=[
                Route("/health", _health, methods=["GET"]),
                Route("/validate", self._validate, methods=["POST"]),
            ],
            exception_handlers={HTTPException: _as_json},  # type: ignore[dict-item]
        )
        app.router.redirect_slashes = False
        return app

    async def _validate(self, request: Request) -> JSONResponse:
        began, started, received = utc_now(), time.monotonic(), Received()
        try:
            answer = await self._answer(request, received)
        except CallRefusedError as refused:
            answer = refusal_answer(refused)
        except asyncio.CancelledError:  # the door is being closed; the caller shall know
            answer = refusal_answer(refused_call(503, "closed", "The service ends."))
        except Exception:  # of ours; the text may quote anything, so only the log has it
            logger.exception("A call of %s failed", self._competition_id)
            answer = refusal_answer(
                refused_call(500, "failed", "The service failed; its log says how.")
            )
        call = ValidationCall(
            time=began,
            competition_id=self._competition_id,
            sha256=received.sha256,
            size=received.size,
            is_valid=answer.is_valid,
            code=answer.code,
            seconds=time.monotonic() - started,
            status=answer.status,
        )
        record = self._refused.add(call) if call.code == RATE_LIMITED else call
        if record:
            await self._record(record)
        return JSONResponse(answer.body, answer.status, answer.headers)

    async def conclude(self) -> None:
        """Record what has not been, once nobody calls any more."""
        if record := self._refused.rest():
            await self._record(record)

    async def _answer(self, request: Request, received: Received) -> Answer:
        self._turnstile.count()
        async with (
            self._turnstile.turn(),
            self._uploads.receive(request, received) as path,
        ):
            checking = self._checker.check(path, self._competition_id, door=self)
            return verdict_answer(await unless_gone(request, checking))

    async def _record(self, call: ValidationCall) -> None:
        """Have a call recorded before it is answered, one after the other."""
        async with self._recording:
            try:
                await asyncio.to_thread(self._on_call, call)
            except Exception:  # of whoever listens; it must not cost the caller the answer
                logger.exception("A call could not be recorded: %s", call)


async def unless_gone(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """What comes of some work, which is given up once its caller has hung up.

    Raises:
        CallRefusedError: The caller has gone.
    """
    working, leaving = asyncio.create_task(work), asyncio.create_task(_hanging_up(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise refused_call(400, "caller_gone", "The caller did not wait for the answer.")
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _hanging_up(request: Request) -> None:
    """Return when the other side has hung up; all of the request has been received."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _health(_: Request) -> JSONResponse:
    return JSONResponse({"status": "running"})


async def _as_json(_: Request, error: HTTPException) -> JSONResponse:
    """What there is no such address or method for."""
    told = {"error": error.detail, "details": "There are POST /validate and GET /health."}
    return JSONResponse(told, error.status_code, error.headers)
