"""Files that are sent to us, written and hashed as they arrive.

What is checked is a copy that nobody but us can change, in a folder that nobody else can enter,
and it is gone as soon as it has been checked.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

from starlette.requests import ClientDisconnect, Request

from mlebench.errors import CallRefusedError
from mlebench.services.calls import Received, refused_call
from mlebench.services.forms import FileInForm, missing_file
from mlebench.services.limits import ServiceLimits

# A thread writes this much at a time: disks may stall, and must not stall whoever else asks.
WRITTEN_AT_ONCE = 1 << 20
# What a form may hold beside the file.
MOST_AROUND = 1 << 20


class Uploads:
    """The files that are being received or checked."""

    def __init__(self, folder: Path, limits: ServiceLimits) -> None:
        self._folder = folder
        self._limits = limits
        self._numbers = count()
        self._kept_bytes = 0

    @asynccontextmanager
    async def receive(self, request: Request, received: Received) -> AsyncIterator[Path]:
        """The file that a request brings; removed at the end.

        Args:
            request: The request.
            received: Is told what has arrived, also if that was not all.

        Raises:
            CallRefusedError: There is none, it is too long, or it does not arrive.
        """
        form = FileInForm(request.headers.get("content-type", ""))
        if (announced := request.headers.get("content-length")) and (
            int(announced) > self._limits.upload_bytes + MOST_AROUND
        ):
            raise self._too_large()
        path = self._folder / f"{next(self._numbers)}.csv"
        try:
            await self._write(request, form, path, received)
            yield path
        finally:
            self._kept_bytes -= received.size
            await asyncio.to_thread(path.unlink, missing_ok=True)

    async def _write(
        self, request: Request, form: FileInForm, path: Path, received: Received
    ) -> None:
        digest = hashlib.sha256()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            async for content in self._pieces(request, form, received):
                await asyncio.to_thread(_keep, handle, content, digest)
        except OSError as error:
            raise refused_call(
                500, "cannot_keep", f"The file cannot be kept ({error.strerror})."
            ) from error
        finally:
            os.close(handle)
        if not form.is_complete:
            raise cut_off() if received.size else missing_file()
        received.sha256 = digest.hexdigest()

    async def _pieces(
        self, request: Request, form: FileInForm, received: Received
    ) -> AsyncIterator[bytes]:
        """The content of the file in pieces that are worth writing."""
        pending: list[bytes] = []
        pending_bytes = 0
        async for content in self._contents(request, form):
            self._count(received, len(content))
            pending.append(content)
            pending_bytes += len(content)
            if pending_bytes >= WRITTEN_AT_ONCE:
                yield b"".join(pending)
                pending, pending_bytes = [], 0
        yield b"".join(pending)

    async def _contents(self, request: Request, form: FileInForm) -> AsyncIterator[bytes]:
        """What each piece of the body holds of the file, while they come fast enough."""
        loop = asyncio.get_running_loop()
        latest = loop.time() + self._limits.upload_seconds
        body = request.stream()
        body_bytes = 0
        while True:
            until = min(loop.time() + self._limits.pause_seconds, latest)
            try:
                async with asyncio.timeout_at(until):
                    chunk = await anext(body, None)
            except TimeoutError:
                raise refused_call(
                    408,
                    "upload_too_slow",
                    f"Nothing came for {self._limits.pause_seconds:g} seconds, or it took more "
                    f"than {self._limits.upload_seconds:g}.",
                    error="The upload took too long.",
                ) from None
            except ClientDisconnect:
                raise cut_off() from None
            if chunk is None:
                return
            body_bytes += len(chunk)
            if body_bytes > self._limits.upload_bytes + MOST_AROUND:
                raise self._too_large()
            if content := form.feed(chunk):
                yield content

    def _count(self, received: Received, size: int) -> None:
        received.size += size
        self._kept_bytes += size
        if received.size > self._limits.upload_bytes:
            raise self._too_large()
        if self._kept_bytes > self._limits.kept_bytes:
            raise refused_call(
                503,
                "too_busy",
                "The files that are being checked take all the room there is.",
                error="The service is busy.",
                retry_after=5,
            )

    def _too_large(self) -> CallRefusedError:
        return refused_call(
            413,
            "too_large",
            f"At most {self._limits.upload_bytes:,} bytes are taken.",
            error="The file is too large.",
        )


def cut_off() -> CallRefusedError:
    """The refusal of a request whose sender has gone."""
    return refused_call(
        400,
        "incomplete_upload",
        "The request ended before the file did.",
        error="The file is not complete.",
    )


def _keep(handle: int, content: bytes, digest: hashlib._Hash) -> None:
    digest.update(content)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
