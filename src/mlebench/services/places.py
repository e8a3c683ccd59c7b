"""Where a service listens: sockets that are files, and ports."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.data.locks import exclusive
from mlebench.errors import BusyError, ConfigError
from mlebench.processes.isolation import remove_folder

LONGEST_SOCKET_PATH = 107  # what the system has room for
# What is put below a private folder; names are numbers.
ROOM_FOR_NAMES = len("/s/1234567890")
BACKLOG = 1024
PREFIX, RANDOM, LOCK_FILE = "mlebench-service-", 8, ".lock"
# A room may run as another user. It sees the socket alone, not the folder it lies in.
FOR_EVERYBODY = 0o666


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that nobody else can enter, with a path that is short enough for sockets.

    What a service that was killed has left is removed by whoever comes next.
    """
    parent = Path(tempfile.gettempdir())
    if len(os.fsencode(parent)) + len(PREFIX) + RANDOM + ROOM_FOR_NAMES > LONGEST_SOCKET_PATH:
        parent = Path("/tmp")  # noqa: S108 (the folder in it is made safely)
    with swept_folder(parent, PREFIX) as folder:
        yield folder


@contextmanager
def swept_folder(
    parent: Path, prefix: str, remove: Callable[[Path], None] = remove_folder
) -> Iterator[Path]:
    """A new folder that nobody else can enter, removed afterwards.

    It is locked while it is used, so that whoever comes next can tell, and remove, the folder of
    a process that was killed.

    Args:
        parent: Where it is made.
        prefix: What its name begins with, as nothing else does there.
        remove: Removes such a folder with all that may be in it.
    """
    _remove_left(parent, prefix, remove)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    try:
        with exclusive(folder / LOCK_FILE, timeout=0):
            yield folder
    finally:
        remove(folder)


def _remove_left(parent: Path, prefix: str, remove: Callable[[Path], None]) -> None:
    for folder in parent.glob(f"{prefix}*"):
        try:
            if folder.lstat().st_uid != os.getuid() or not (folder / LOCK_FILE).is_file():
                continue  # somebody else's, or not locked yet
            with exclusive(folder / LOCK_FILE, timeout=0):
                remove(folder)
        except (BusyError, OSError):
            continue  # it is in use, or gone by now


def bind_unix(path: Path) -> socket.socket:
    """A unix socket at a path, which everybody who sees it may connect to.

    Raises:
        ConfigError: There can be none.
    """
    if len(os.fsencode(path)) > LONGEST_SOCKET_PATH:
        raise ConfigError(
            f"A socket's path has at most {LONGEST_SOCKET_PATH} bytes; {path} has more."
        )
    _remove_abandoned(path)
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        bound.bind(str(path))
        bound.listen(BACKLOG)  # at once, so that whoever sees it can connect
        path.chmod(FOR_EVERYBODY)
    except OSError as error:
        bound.close()
        raise ConfigError(f"There can be no socket at {path}: {error.strerror}.") from error
    return bound


def _remove_abandoned(path: Path) -> None:
    """Remove a socket that a service left that was killed; nobody listens there."""
    if not path.is_socket():
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)
        except OSError:
            pass  # whoever binds will tell


def bind_tcp(host: str, port: int) -> socket.socket:
    """A socket at a port of this machine.

    Raises:
        ConfigError: The port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigError(f"Nobody can listen at {host}, port {port}: {reason}.") from error
