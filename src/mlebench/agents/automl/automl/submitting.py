"""Leaving a submission: whole or not at all, and only if it is valid."""

from __future__ import annotations

import http.client
import json
import os
import queue
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from .journal import Journal
from .places import Places

VALIDATION_SECONDS, SHARE_OF_TIME = 60.0, 0.1
ANSWERS = {"is_valid", "result"}  # one of these says what the service thinks


class Submitter:
    """Writes submissions, and asks the service of the room what it thinks of them."""

    def __init__(self, places: Places, journal: Journal) -> None:
        """Know where to write and whom to ask."""
        self._places = places
        self._journal = journal
        self.origin: str | None = None
        """What the submission that is there comes from, if it was not refused."""

    def submit(self, table: pd.DataFrame, origin: str) -> bool:
        """Put a submission in the place of the one before, unless it is refused.

        Args:
            table: With the columns of the sample, in its order of rows.
            origin: What it comes from, for the journal.

        Returns:
            Whether it is now the submission.
        """
        return self.submit_bytes(table.to_csv(index=False).encode(), origin)

    def submit_bytes(self, content: bytes, origin: str) -> bool:
        """The same for a file as it is to be written.

        The first one is there before anybody is asked, and stays until there is one that is not
        refused: the service may be wrong, or say nothing in time.
        """
        is_first = not self._places.submission.exists()
        if is_first and not self._is_written(content, origin):
            return False
        refusal = self._refusal(content)
        if refusal is not None:
            self._journal.note("refused", origin=origin, reason=refusal)
            return False
        if not is_first and not self._is_written(content, origin):
            return False
        self.origin = origin
        self._journal.note("submission", origin=origin)
        return True

    def _is_written(self, content: bytes, origin: str) -> bool:
        try:
            _replace(self._places.submission, content)
        except OSError as error:
            self._journal.note("failure", name=f"writing {origin}", reason=str(error))
            return False
        return True

    def _refusal(self, content: bytes) -> str | None:
        """Why the service refuses a file; None if it does not, or cannot be asked."""
        url = self._places.validation_url
        if url is None:
            return None
        seconds = min(VALIDATION_SECONDS, max(1.0, SHARE_OF_TIME * self._places.seconds))
        try:
            answer = json.loads(_within(seconds, lambda: _posted(f"{url}/validate", content)))
        except (OSError, ValueError, RecursionError, http.client.HTTPException) as error:
            self._journal.note("no-validation", reason=f"{type(error).__name__}: {error}"[:200])
            return None
        if not isinstance(answer, dict) or not ANSWERS & answer.keys():
            self._journal.note("no-validation", reason=f"the answer is {str(answer)[:200]}")
            return None
        if answer.get("is_valid", answer.get("result") == "Submission is valid."):
            return None
        return str(answer.get("result") or answer)


def _replace(target: Path, content: bytes) -> None:
    """Put a file in the place of another one, whole or not at all."""
    beside = target.with_name(f".{target.name}.new")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)


def _within(seconds: float, ask: Callable[[], bytes]) -> bytes:
    """What comes back in time, however slowly it comes."""
    answers: queue.Queue[bytes | Exception] = queue.Queue()

    def wait() -> None:
        try:
            answers.put(ask())
        except Exception as error:
            answers.put(error)

    threading.Thread(target=wait, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError(f"no answer in {seconds:g} seconds") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _posted(url: str, content: bytes) -> bytes:
    """What a service answers to a form with one file, whether it likes it or not."""
    boundary = uuid.uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        'filename="submission.csv"\r\nContent-Type: text/csv\r\n\r\n'
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    request = urllib.request.Request(  # noqa: S310 (the room's own service)
        url, body, {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    )
    try:
        with urllib.request.urlopen(request, timeout=VALIDATION_SECONDS) as response:  # noqa: S310
            return bytes(response.read())
    except urllib.error.HTTPError as error:
        return error.read()
