"""Processes that grade side by side, so that none can harm another."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import IO, Any

from mlebench.grading.lines import SubmissionLine
from mlebench.grading.report import CompetitionReport
from mlebench.grading.worker import registry_to_json, report_failure
from mlebench.registry import Registry


class WorkerPool:
    """Processes that grade, one submission each at a time; dead ones are replaced."""

    def __init__(self, registry: Registry, size: int, time_limit: float) -> None:
        self._registry = registry
        self._time_limit = time_limit
        self._threads = ThreadPoolExecutor(size)
        self._idle: queue.SimpleQueue[_Worker | None] = queue.SimpleQueue()
        for _ in range(size):
            self._idle.put(None)
        self._alive: set[_Worker] = set()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._alive):
            worker.kill()
        self._threads.shutdown(wait=True)
        for worker in list(self._alive):
            worker.close()

    def grade(
        self, lines: list[SubmissionLine]
    ) -> Iterator[tuple[SubmissionLine, CompetitionReport]]:
        """Reports as they become ready."""
        futures = {self._threads.submit(self._grade_one, line): line for line in lines}
        for future in as_completed(futures):
            yield futures[future], future.result()

    def _grade_one(self, line: SubmissionLine) -> CompetitionReport:
        worker = self._idle.get() or self._start()
        try:
            report = worker.grade(line, self._time_limit)
        except _WorkerLostError as lost:
            self._alive.discard(worker)
            worker.close()
            self._idle.put(None)
            return report_failure(
                self._registry, line.competition_id, line.submission_path, lost.status, str(lost)
            )
        self._idle.put(worker)
        return report

    def _start(self) -> _Worker:
        worker = _Worker(self._registry)
        self._alive.add(worker)
        return worker


class _WorkerLostError(Exception):
    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Worker:
    """One grading process."""

    def __init__(self, registry: Registry) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mlebench.grading.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._send(registry_to_json(registry))

    def grade(self, line: SubmissionLine, time_limit: float) -> CompetitionReport:
        """The report on a line; raises if the process is lost on the way."""
        ran_out = threading.Event()

        def give_up() -> None:
            ran_out.set()
            self.kill()

        alarm = threading.Timer(time_limit, give_up)
        alarm.start()
        try:
            self._send(
                {"competition_id": line.competition_id, "submission_path": line.submission_path}
            )
            answer = self._stream(self._process.stdout).readline()
        except BrokenPipeError:
            answer = ""
        finally:
            alarm.cancel()
        if answer:
            return CompetitionReport.from_dict(json.loads(answer))
        code = self._process.wait()
        if ran_out.is_set():
            raise _WorkerLostError("timeout", f"Grading took longer than {time_limit:g} seconds.")
        raise _WorkerLostError("crashed", f"The grading process died (exit code {code}).")

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and give up its pipes; not while another thread reads from them."""
        self.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _send(self, message: dict[str, Any]) -> None:
        stdin = self._stream(self._process.stdin)
        stdin.write(json.dumps(message) + "\n")
        stdin.flush()

    @staticmethod
    def _stream(stream: IO[str] | None) -> IO[str]:
        if stream is None:
            raise RuntimeError("The worker was started without pipes.")
        return stream
