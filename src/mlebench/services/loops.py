"""An event loop in a thread of its own, for whoever has none."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError
from typing import Any, TypeVar

from mlebench.errors import CannotStartError

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

THREADS = 8
CALL_SECONDS = 30.0


class LoopThread:
    """Runs coroutines for threads that wait for them."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # Not as many threads as there are cores: they write to disks and records.
        self._executor = ThreadPoolExecutor(THREADS, thread_name_prefix=name)
        self._loop.set_default_executor(self._executor)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has begun and not ended."""
        return self._thread.is_alive()

    def call(self, coroutine: Coroutine[Any, Any, Result], seconds: float = CALL_SECONDS) -> Result:
        """What a coroutine returns.

        Raises:
            CannotStartError: It did not within some seconds, or the loop has ended.
        """
        if not self.is_running:
            coroutine.close()
            raise CannotStartError("The service has ended.")
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(seconds)
        except FutureTimeoutError:
            future.cancel()
            raise CannotStartError(
                f"The service did not answer within {seconds:g} seconds."
            ) from None

    def stop(self) -> None:
        """End what still runs, and the thread."""
        if self.is_running:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CALL_SECONDS)
        if self.is_running:
            logger.error("A thread could not be ended")
            return
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._loop.close()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            left = asyncio.all_tasks(self._loop)
            for task in left:
                task.cancel()
            if left:
                self._loop.run_until_complete(asyncio.wait(left, timeout=1))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
