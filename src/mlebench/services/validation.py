"""The validation service: tells rooms whether a submission has the right form, never a score.

Each room has a door of its own, so who asks is known without believing what is said.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.readiness import prepared_data, require_prepared
from mlebench.errors import CannotStartError, ConfigError
from mlebench.registry import Registry
from mlebench.services.calls import ValidationCall
from mlebench.services.checker import Checker
from mlebench.services.limits import ServiceLimits
from mlebench.services.loops import LoopThread
from mlebench.services.places import bind_tcp, bind_unix, private_folder
from mlebench.services.turns import Crowd, Turnstile

if TYPE_CHECKING:
    from mlebench.services.listening import Listener

__all__ = ["Door", "OnCall", "ServiceLimits", "ValidationCall", "ValidationService"]

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 0.5

OnCall = Callable[[ValidationCall], None]


class Door:
    """Where one room finds the service."""

    def __init__(
        self, address: str, path: Path | None, listener: Listener, close: Callable[[Door], None]
    ) -> None:
        self.address = address
        """The address of the service; for a socket that is a file, as seen through it."""
        self._path = path
        self.listener = listener
        self._close = close

    @property
    def path(self) -> Path:
        """The unix socket."""
        if self._path is None:
            raise ConfigError(f"{self.address} is no unix socket.")
        return self._path

    def close(self) -> None:
        """Let nobody in any more; those inside get a moment to end."""
        self._close(self)
        if self._path:
            self._path.unlink(missing_ok=True)


class ValidationService:
    """Checks what comes through its doors, while it is entered."""

    def __init__(
        self, registry: Registry, *, workers: int = 2, limits: ServiceLimits | None = None
    ) -> None:
        """Make a service; nothing happens before it is entered.

        Args:
            registry: Which competitions, data and edition.
            workers: How many submissions are checked at a time.
            limits: What the service takes on.

        Raises:
            ConfigError: The libraries for it are not installed, or there are no workers.
        """
        require_libraries()
        if workers < 1:
            raise ConfigError(f"There must be at least one worker, not {workers}.")
        self._registry = registry
        self._workers = workers
        self._limits = limits or ServiceLimits()
        self._open: set[Door] = set()
        self._numbers = count()
        self._crowd = Crowd()
        self._loop = LoopThread("mlebench-validation")
        self._closing = ExitStack()

    def __enter__(self) -> ValidationService:
        from mlebench.services.uploads import Uploads

        with ExitStack() as made:
            folder = made.enter_context(private_folder())
            self._sockets, files = folder / "s", folder / "u"
            for part in (self._sockets, files):
                part.mkdir(mode=0o700)
            self._uploads = Uploads(files, self._limits)
            self._checker = made.enter_context(Checker(self._registry, self._workers, self._limits))
            made.callback(self._loop.stop)
            self._loop.start()
            self._loop.call(self._begin_sweeping())
            made.callback(self._close_all)
            self._closing = made.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    @property
    def is_running(self) -> bool:
        """Whether it answers calls."""
        return self._loop.is_running

    def open_door(self, competition_id: str, on_call: OnCall, *, path: Path | None = None) -> Door:
        """A unix socket behind which submissions to a competition are checked.

        Anybody who sees the socket may connect, whoever they are; so let only one room see it.

        Args:
            competition_id: The competition.
            on_call: Told each call, before it is answered, by another thread.
            path: Where the socket is to be; by default in a folder that nobody else can enter.

        Raises:
            NotPreparedError: The competition is not prepared.
            ConfigError: There is no such competition, or no socket can be there.
        """
        self._require_ready(competition_id)
        place = path or self._sockets / str(next(self._numbers))
        return self._open_at(bind_unix(place), competition_id, on_call, "http://localhost", place)

    def open_port(self, competition_id: str, on_call: OnCall, host: str, port: int) -> Door:
        """The same at a port, for everybody who can reach it.

        Args:
            competition_id: The competition.
            on_call: As for `open_door`.
            host: The address of this machine that others use.
            port: The number; 0 for any that is free.

        Raises:
            NotPreparedError: The competition is not prepared.
            ConfigError: There is no such competition, or the port cannot be had.
        """
        self._require_ready(competition_id)
        bound = bind_tcp(host, port)
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{bound.getsockname()[1]}"
        return self._open_at(bound, competition_id, on_call, address, None)

    def _require_ready(self, competition_id: str) -> None:
        if not self.is_running:
            raise CannotStartError("The service has ended, or not begun.")
        competition = self._registry.get_competition(competition_id)
        with prepared_data(competition):
            require_prepared(competition)

    def _open_at(
        self,
        bound: socket.socket,
        competition_id: str,
        on_call: OnCall,
        address: str,
        path: Path | None,
    ) -> Door:
        try:
            listener = self._loop.call(self._listen(bound, competition_id, on_call))
        except BaseException:
            bound.close()
            if path:
                path.unlink(missing_ok=True)
            raise
        door = Door(address, path, listener, self._close)
        self._open.add(door)
        return door

    async def _listen(self, bound: socket.socket, competition_id: str, on_call: OnCall) -> Listener:
        from mlebench.services.listening import Listener
        from mlebench.services.reception import Reception

        turnstile = Turnstile(self._limits, self._crowd)
        reception = Reception(competition_id, on_call, self._checker, self._uploads, turnstile)
        listener = Listener(reception.app(), self._limits, reception.conclude)
        await listener.start(bound)
        return listener

    def _close(self, door: Door) -> None:
        if door in self._open:
            self._open.discard(door)
            self._loop.call(door.listener.stop())

    def _close_all(self) -> None:
        doors = list(self._open)
        self._open.clear()
        with contextlib.suppress(CannotStartError):  # the loop has ended, and the doors with it
            self._loop.call(_stop_all([door.listener for door in doors]))
        for door in doors:
            door.close()  # which removes the socket

    async def _begin_sweeping(self) -> None:
        self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            for door in list(self._open):
                try:
                    door.listener.sweep()
                except Exception:  # of ours; the next time it may work
                    logger.exception("Idle connections could not be ended")


async def _stop_all(listeners: list[Listener]) -> None:
    await asyncio.gather(*(listener.stop() for listener in listeners))


def require_libraries() -> None:
    """Raise unless the libraries of the extra ``services`` are installed.

    Raises:
        ConfigError: One is not.
    """
    try:
        import python_multipart  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(
            f"The validation service needs {error.name}: pip install 'mlebench[services]'"
        ) from error
