"""Receiving one file, and going on where it stopped, also in a later process."""

from __future__ import annotations

import logging
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mlebench.data.locks import exclusive
from mlebench.data.partial import Facts, PartialFile
from mlebench.data.patience import Attempts, Patience
from mlebench.errors import BusyError, DataSourceError, UnavailableError
from mlebench.stamps import Stamp, file_stamp

# Less than this between two interruptions is no progress that would justify going on for ever.
PROGRESS_BYTES = 1 << 20
SECONDS_BETWEEN_REPORTS = 0.1
GZIP_MARK = b"\x1f\x8b"

logger = logging.getLogger(__name__)

Report = Callable[[int, int | None], None]
"""Is told now and then how many bytes there are, of how many."""


Arrival = Callable[[Path, Path], None]
"""Is told where a whole file lies that is about to get its name, and this name."""


@dataclass(frozen=True)
class Delivery:
    """What a source hands out: what it knows of the file, and the bytes from a place on."""

    facts: Facts
    start: int
    """0, or where the part that is there ends."""
    chunks: Iterator[bytes]


class Source(Protocol):
    """Where a file comes from."""

    def open(self, held: Facts, offset: int) -> AbstractContextManager[Delivery]:
        """Hand the file out, from ``offset`` on if it is still the one that is held in part.

        Raises:
            UnavailableError: Not now; also while the bytes are read.
            DataSourceError: Not at all.
        """


def no_report(done: int, total: int | None) -> None:
    """Tell nobody."""


def no_arrival(file: Path, target: Path) -> None:
    """Tell nobody."""


def no_check(path: Path) -> str | None:
    """Take everything as it comes."""
    return None


def zip_damage(path: Path) -> str | None:
    """What shows at the end of an archive, where its table of contents is; sums come later."""
    with path.open("rb") as file:
        is_compressed = file.read(len(GZIP_MARK)) == GZIP_MARK
    if is_compressed:  # with what is hard to compress, a zip would show in it all the same
        return "is not a zip, but compressed with gzip, perhaps by the server on the way"
    return None if zipfile.is_zipfile(path) else "is not a whole zip"


def receive(
    source: Source,
    target: Path,
    *,
    on_bytes: Report = no_report,
    on_whole: Arrival = no_arrival,
    check: Callable[[Path], str | None] = no_check,
    patience: Patience | None = None,
) -> Path:
    """Fetch a file; under its name, it is there completely or not at all.

    Whatever is interrupted goes on from ``<target>.part``. Processes that fetch the same file
    take turns, and whoever waited takes what the other one fetched. What somebody else put in its
    place meanwhile stays, and is taken instead.

    Args:
        source: Where it comes from.
        target: Where it goes.
        on_bytes: Is told now and then how far it is.
        on_whole: Is told where the whole file lies before it gets its name, and this name.
        check: What else is wrong with the whole file, if anything.
        patience: How often and how long to try.

    Raises:
        DataSourceError: It cannot be had, or arrived damaged twice.
        BusyError: Another process is fetching it and does not finish.
        OSError: The disk does not take it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    before = _stamp(target)
    with exclusive(lock_of(target)):
        if _stamp(target) not in (None, before):
            logger.info("%s has been fetched by another process.", target)
            return target
        with PartialFile(target) as part:
            damage = None
            for _ in range(2):
                _take_all(source, part, on_bytes, patience or Patience())
                damage = part.find_damage() or check(part.path)
                if damage is None:
                    part.settle()
                    on_whole(part.path, target)
                    if not _give_name(part, before):
                        logger.warning("%s is there by now, and used as it is.", target)
                    return target
                logger.warning("What arrived as %s is thrown away: it %s.", target.name, damage)
                part.begin(Facts())
    raise DataSourceError(
        f"{target.name} arrived damaged twice: it {damage}. Nothing of it is kept. Try again "
        "later, or get the file in another way."
    )


def lock_of(target: Path) -> Path:
    """What whoever fetches a file holds; a killed process leaves it behind."""
    return target.with_name(f".{target.name}.lock")


def forget_part(target: Path) -> None:
    """Remove what killed processes have left of a file, unless somebody is fetching it."""
    part, lock = PartialFile(target), lock_of(target)
    if not (part.is_left or lock.exists()):
        return
    with suppress(BusyError), exclusive(lock, timeout=0):
        if part.is_left:
            part.remove()


def _take_all(source: Source, part: PartialFile, on_bytes: Report, patience: Patience) -> None:
    """Ask until everything is there."""
    attempts = Attempts(patience)
    furthest = part.length
    if part.length:
        logger.info("Going on with %s after %d bytes.", part.path, part.length)
    while not part.is_complete:
        try:
            if not _take(source, part, on_bytes):
                break
        except UnavailableError as error:
            if part.length >= furthest + PROGRESS_BYTES:
                attempts.forget()
                furthest = part.length
            attempts.wait_after(error)
    on_bytes(part.length, part.facts.size)


def _take(source: Source, part: PartialFile, on_bytes: Report) -> bool:
    """Ask once; True if a server sent a slice, and is to be asked for the next one."""
    with source.open(part.facts, part.length) as delivery:
        if delivery.start == 0:
            part.begin(delivery.facts)
        for chunk in _reported(delivery, on_bytes):
            part.append(chunk)
            if part.is_complete:
                break
    return part.facts.size is not None and 0 < delivery.start < part.length


def _reported(delivery: Delivery, on_bytes: Report) -> Iterator[bytes]:
    """The bytes of a delivery, while somebody is told of them."""
    done, last = delivery.start, -SECONDS_BETWEEN_REPORTS
    for chunk in delivery.chunks:
        if time.monotonic() - last >= SECONDS_BETWEEN_REPORTS:
            on_bytes(done, delivery.facts.size)
            last = time.monotonic()
        yield chunk
        done += len(chunk)


def _give_name(part: PartialFile, before: Stamp | None) -> bool:
    """Have the whole file under its name; False if somebody else put another one there."""
    is_known = before is not None and _stamp(part.target) == before
    return part.publish(replacing=is_known)


def _stamp(path: Path) -> Stamp | None:
    try:
        return file_stamp(path)
    except FileNotFoundError:
        return None
