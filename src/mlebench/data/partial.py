"""A file that is still arriving: ``<name>.part`` beside what is known about the whole."""

from __future__ import annotations

import base64
import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import msgspec

from mlebench.data.durable import flush
from mlebench.data.layout import PART_SUFFIX
from mlebench.errors import DataSourceError
from mlebench.writing import take_name

CHUNK_BYTES = 1 << 20
FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Facts(msgspec.Struct, frozen=True):
    """What a server says about a file."""

    validator: str | None = None
    """What changes when the file does: its ETag, or when it was last modified."""
    size: int | None = None
    md5: str | None = None
    """In base64."""


class PartialFile:
    """What has arrived of a file; leaving the context keeps what can be continued."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f"{target.name}{PART_SUFFIX}")
        self._sidecar = self.path.with_name(f"{self.path.name}.json")
        # Under a name that is known, since whoever is killed while writing leaves it behind.
        self._sidecar_to_be = self.path.with_name(f"{self.path.name}.json.new")
        self.facts = self._stored_facts()

    def __enter__(self) -> PartialFile:
        self._handle = self._open()
        self.length = os.fstat(self._handle).st_size
        self._forget_sum()
        if not self.is_resumable:
            self._clear()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._handle)
        if not self.is_resumable:
            self.remove()

    def remove(self) -> None:
        """Leave nothing of it."""
        self.path.unlink(missing_ok=True)
        self._sidecar_to_be.unlink(missing_ok=True)
        self._sidecar.unlink(missing_ok=True)  # last: without it, the file would not be ours
        self.length = 0
        self.facts = Facts()

    @property
    def is_left(self) -> bool:
        """Whether an earlier process has left anything of it."""
        if self._sidecar.exists() or self._sidecar_to_be.exists():
            return True
        try:
            status = self.path.lstat()
        except FileNotFoundError:
            return False
        return stat.S_ISREG(status.st_mode) and status.st_size == 0

    @property
    def is_resumable(self) -> bool:
        """Whether there is something to continue, and a way to tell that it is of the same file."""
        return self.length > 0 and self.facts.validator is not None

    @property
    def is_complete(self) -> bool:
        """Whether there is nothing left to ask for."""
        return self.length > 0 and self.length == self.facts.size

    def begin(self, facts: Facts) -> None:
        """Throw away what is there; what comes now belongs to a file of which this is known."""
        self._clear()
        self.facts = facts
        # Also where nothing is known: it says whose the file is.
        self._sidecar_to_be.write_bytes(msgspec.json.encode(facts))
        os.replace(self._sidecar_to_be, self._sidecar)

    def _clear(self) -> None:
        if self.length:
            with self._named():
                os.ftruncate(self._handle, 0)
        self.length = 0
        self.facts = Facts()
        self._forget_sum()

    def append(self, chunk: bytes) -> None:
        """Add what arrived, up to the size that was stated: a server may send without an end."""
        room = None if self.facts.size is None else max(0, self.facts.size - self.length)
        rest = memoryview(chunk)[:room]
        with self._named():
            while rest:
                written = os.pwrite(self._handle, rest, self.length)
                if self._summed == self.length:
                    self._sum.update(rest[:written])
                    self._summed += written
                self.length += written
                rest = rest[written:]

    def find_damage(self) -> str | None:
        """How the file differs from what the server said about it."""
        if self.facts.size is not None and self.length != self.facts.size:
            return f"has {self.length:,} bytes instead of {self.facts.size:,}"
        if self.facts.md5 is not None and (found := self._md5()) != self.facts.md5:
            return f"has the md5 sum {found} instead of {self.facts.md5} (base64)"
        return None

    def settle(self) -> None:
        """Have all that arrived on the disk; nothing about the file changes any more."""
        with self._named():
            os.fsync(self._handle)

    def publish(self, *, replacing: bool) -> bool:
        """Give the file its name, for good; False if that is another file's, which is to stay."""
        if replacing:
            os.replace(self.path, self.target)
        elif not take_name(self.path, self.target):
            self.remove()
            return False
        flush(self.target.parent)
        self.remove()
        return True

    def _open(self) -> int:
        """Open what was begun here, or a new file.

        Raises:
            DataSourceError: Somebody else's file has this name.
        """
        try:
            handle = os.open(self.path, FLAGS, 0o666)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EISDIR):
                raise
            raise self._not_ours() from error
        status = os.fstat(handle)
        is_ours = status.st_size == 0 or self._sidecar.exists()
        if stat.S_ISREG(status.st_mode) and is_ours and status.st_nlink == 1:
            return handle
        os.close(handle)
        if not (stat.S_ISREG(status.st_mode) and is_ours):
            raise self._not_ours()
        self.remove()  # it has got its name, too: what is done to one would be done to both
        return self._open()

    def _not_ours(self) -> DataSourceError:
        return DataSourceError(
            f"{self.path} is no download that was begun here, so it is left alone. Move it "
            "elsewhere, or remove it, and run the same command again."
        )

    def _stored_facts(self) -> Facts:
        try:
            return msgspec.json.decode(self._sidecar.read_bytes(), type=Facts)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Facts()  # nothing is known, so everything is asked for again

    def _forget_sum(self) -> None:
        self._sum = hashlib.md5(usedforsecurity=False)
        self._summed = 0

    def _md5(self) -> str:
        """The sum of all; only what an earlier process wrote has to be read for it."""
        with self._named():
            while chunk := os.pread(self._handle, CHUNK_BYTES, self._summed):
                self._sum.update(chunk)
                self._summed += len(chunk)
        return base64.b64encode(self._sum.digest()).decode()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Say in errors of the disk which file they are about."""
        try:
            yield
        except OSError as error:
            error.filename = error.filename or str(self.path)
            raise
