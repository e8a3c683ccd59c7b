"""How much an archive may unpack to, since a few bytes of it can stand for a full disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from mlebench.disks import existing_part
from mlebench.errors import DataSourceError, UnwritableFolderError
from mlebench.preparing.extraction.sources import ELSEWHERE, Archive, Kind

OnBytes = Callable[[int, "int | None"], None]

# Whatever unpacks to less is no bomb, however small its archive is.
ALWAYS_ALLOWED = 1 << 30
# Room that other programs on the same disk go on with; of a small disk, the twentieth part.
RESERVE = 1 << 30
RESERVED_PART = 20
REPORT_EVERY = 8 << 20


@dataclass(frozen=True)
class Limits:
    """What is refused as too much.

    Attributes:
        members: How many files, folders and links. The largest contests have ten million files.
        bytes: How many bytes in all; None for what the disk has room for, with a reserve.
        ratio: How many times the size of the archive, once a gigabyte is exceeded. Pictures and
            sounds have ratios of about 1, tables of 3 to 20, sparse ones and masks up to 100, each
            as a whole data set. Zeros have 1,000 in a zip, 7,000 in a 7z and millions in nested
            archives, so 200 is far from both.
    """

    members: int = 20_000_000
    bytes: int | None = None
    ratio: int = 200

    def without(self, spent: Budget) -> Limits:
        """What is left of these limits for the next archive, since the disk tells by itself."""
        left = None if self.bytes is None else self.bytes - spent.bytes
        return replace(self, members=self.members - spent.members, bytes=left)


LIMITS = Limits()


def ignore_bytes(done: int, total: int | None) -> None:
    """Tell nobody how far it is."""


class _Fault(NamedTuple):
    """Why something is too much, what can be done about it, and whose fault it is."""

    why: str
    advice: str = ELSEWHERE
    kind: Kind = DataSourceError


class Budget:
    """What an archive, with those inside it, may still unpack to."""

    def __init__(self, limits: Limits, archive: Path, folder: Path) -> None:
        self.members = 0
        self.bytes = 0
        self._limits = limits
        size = archive.stat().st_size
        self._by_ratio = max(ALWAYS_ALLOWED, limits.ratio * size)
        self._too_dense = _Fault(
            f"more than {limits.ratio:,} times the {size:,} bytes of the archive, as no data set "
            "is known to",
            ELSEWHERE,
        )
        if limits.bytes is None:
            usage = shutil.disk_usage(existing_part(folder))
            reserve = min(RESERVE, usage.total // RESERVED_PART)
            self._room = max(0, usage.free - reserve)
            self._too_large = _Fault(
                f"more than the {self._room:,} bytes that the disk of {folder} has room for, "
                f"{reserve:,} kept free",
                "Make room, or choose a folder on another disk.",
                UnwritableFolderError,
            )
        else:
            self._room = limits.bytes
            self._too_large = _Fault(f"more than the {limits.bytes:,} bytes allowed")

    def require(self, archive: Archive, more: int) -> None:
        """Refuse an archive that says itself that it unpacks to too much."""
        total = self.bytes + more
        fault = self._fault(total)
        if fault is not None:
            outer = " with what was unpacked before it" if self.bytes else ""
            raise archive.refusal(
                f"it unpacks to {total:,} bytes{outer}, {fault.why}", fault.advice, fault.kind
            )

    def count(self, archive: Archive, members: int = 1) -> None:
        """Count members before anything of them is unpacked."""
        self.members += members
        if self.members > self._limits.members:
            raise archive.refusal(f"it has more than the {self._limits.members:,} members allowed")

    def spend(self, archive: Archive, member: str, count: int) -> None:
        """Count bytes before they are written."""
        self.bytes += count
        fault = self._fault(self.bytes)
        if fault is not None:
            raise archive.refused(
                member,
                f"brings what is unpacked to {self.bytes:,} bytes, {fault.why}",
                fault.advice,
                fault.kind,
            )

    def _fault(self, unpacked: int) -> _Fault | None:
        if unpacked > self._by_ratio:
            return self._too_dense
        return self._too_large if unpacked > self._room else None


class Progress:
    """Tells somebody now and then how many bytes are unpacked."""

    def __init__(self, on_bytes: OnBytes) -> None:
        self.total: int | None = None
        self._on_bytes = on_bytes
        self._done = self._told = 0

    def add(self, count: int) -> None:
        """So many more bytes are unpacked."""
        self._done += count
        if self._done - self._told >= REPORT_EVERY:
            self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        self._told = self._done
        self._on_bytes(self._done, self.total)
