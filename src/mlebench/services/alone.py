"""The validation service by itself, for rooms that are not ours: one competition, until it ends."""

from __future__ import annotations

import logging
import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import CannotStartError
from mlebench.registry import Registry
from mlebench.services.limits import ServiceLimits
from mlebench.services.validation import Door, ValidationCall, ValidationService

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
WORKERS = 2
"""How many submissions are checked at a time; there is one door, which may have them all."""


@dataclass(frozen=True)
class Place:
    """Where to listen: at a port, or at a unix socket if its path is given."""

    host: str
    port: int
    unix: Path | None = None


def serve_alone(
    registry: Registry,
    competition_id: str,
    place: Place,
    most_bytes: int,
    on_open: Callable[[str], None],
) -> None:
    """Serve until somebody interrupts or ends the process.

    Whoever runs it knows who calls, so there may be as many calls a minute as in the original.

    Args:
        registry: Which data and edition.
        competition_id: The competition.
        place: Where to listen.
        most_bytes: The longest file that is taken.
        on_open: Told the address, once calls are answered.
    """
    limits = ServiceLimits(
        upload_bytes=most_bytes,
        kept_bytes=max(most_bytes, ServiceLimits().kept_bytes),
        calls_per_minute=math.inf,
        checks=WORKERS,
    )
    with ended_by_signals() as is_over, _service(registry, limits) as service:
        on_open(_described(_open(service, competition_id, place), place))
        while not is_over.wait(LOOK_SECONDS):
            if not service.is_running:
                raise CannotStartError("The service has ended; its log says why.")


def _service(registry: Registry, limits: ServiceLimits) -> ValidationService:
    return ValidationService(registry, workers=WORKERS, limits=limits)


def _open(service: ValidationService, competition_id: str, place: Place) -> Door:
    if place.unix:
        return service.open_door(competition_id, _log, path=place.unix)
    return service.open_port(competition_id, _log, place.host, place.port)


def _described(door: Door, place: Place) -> str:
    through = f" through {place.unix}" if place.unix else ""
    return f"{door.address}/validate{through}"


@contextmanager
def ended_by_signals() -> Iterator[threading.Event]:
    """An event that is set by Ctrl-C or a request to end, which then do nothing else."""
    is_over = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: is_over.set())
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield is_over
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _log(call: ValidationCall) -> None:
    verdict = {True: "valid", False: "invalid", None: "no verdict"}[call.is_valid]
    reason = f" ({call.code})" if call.code else ""
    digest = f", sha256 {call.sha256[:12]}" if call.sha256 else ""
    logger.info(
        "%d %s%s: %s bytes%s, %.3f seconds",
        call.status,
        verdict,
        reason,
        f"{call.size:,}",
        digest,
        call.seconds,
    )
