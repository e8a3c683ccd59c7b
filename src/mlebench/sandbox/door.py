"""The first process of a room with walls: opens the doors, starts the agent, ends with it.

It runs inside the room with whatever Python is there, so it needs no library and no newer
Python than 3.8. The room's configuration is a JSON file::

    {"doors": {"5000": "/run/mlebench/5000.sock"},   the unix socket behind each port
     "command": ["bash", "start.sh"],                what to start
     "folder": "/home/agent",                        where
     "environment": {"PATH": "..."},                 all the variables it gets
     "limits": {"CORE": 0},                          hard limits by their name in `resource`
     "processors": [0, 1],                           those it runs on, or null for all
     "status": 7,                                    a handle that hears how far we are, or null
     "lifeline": "/run/mlebench/lifeline",           a pipe that the host holds open, if any
     "seconds": 3600}                                after which the room is over, if ever

The words on the status handle are `LISTENING`, `STARTED`, and `ENDED` with the exit code, a line
each; the code is the command's own, or 128 and the signal that ended it. As the first process of
its namespace it buries every orphan, cannot be killed from inside, and takes all others along
when it ends.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from typing import Any, Callable, NoReturn  # noqa: UP035 (Python 3.8)

LISTENING, STARTED, ENDED = b"listening", b"started", b"ended"
CANNOT_START = 127
CHUNK = 1 << 16
MOST_CONNECTIONS = 64  # at a time, as many as the service behind the door has open
WAITING_CONNECTIONS = 128
PAUSE_SECONDS = 0.05
LOCALHOST = (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")
_DUMPABLE = 4  # the number of Linux' prctl
_KEYCTL = {"x86_64": 250, "aarch64": 219}  # the number of the system call
_JOIN_SESSION_KEYRING = 1


class Forwarder:
    """Passes on, in both directions, every connection to a port of localhost.

    Of many at a time some wait: their threads are the door's, which no limit of a room counts.
    """

    def __init__(self, port: int, target: str) -> None:
        """Listen on a port, or on a free one if it is 0; connections are served after `start`."""
        self._target = target
        self._places = threading.Semaphore(MOST_CONNECTIONS)
        self._listeners = [_listening(*LOCALHOST[0], port)]
        self.port: int = self._listeners[0].getsockname()[1]
        # A machine may have no second version of localhost, or it is taken.
        with contextlib.suppress(OSError):
            self._listeners.append(_listening(*LOCALHOST[1], self.port))

    def start(self) -> None:
        """Serve connections in threads of its own from now on."""
        for listener in self._listeners:
            threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def close(self) -> None:
        """Take no more connections; those there are end with whoever has them."""
        for listener in self._listeners:
            with contextlib.suppress(OSError):  # wakes up whoever waits for a connection
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError as error:
                if error.errno in {errno.EBADF, errno.EINVAL}:  # closed
                    return
                time.sleep(PAUSE_SECONDS)  # no handles left just now, or the other one hung up
                continue
            self._places.acquire()
            try:
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
            except RuntimeError:  # no more threads; the caller sees the connection end
                connection.close()
                self._places.release()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._connect(connection)
        finally:
            self._places.release()

    def _connect(self, connection: socket.socket) -> None:
        with connection, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as service:
            try:
                service.connect(self._target)
                back = threading.Thread(target=_pass_on, args=(service, connection), daemon=True)
                back.start()
            except (OSError, RuntimeError):  # nobody is behind the door
                return
            _pass_on(connection, service)
            back.join()


def _listening(family: socket.AddressFamily, address: str, port: int) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(WAITING_CONNECTIONS)
    except OSError:
        listener.close()
        raise
    return listener


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    """Pass on bytes until the source has no more, and say so to the target alone.

    The other direction goes on: a client may be done with its question and wait for the answer.
    """
    try:
        while chunk := source.recv(CHUNK):
            target.sendall(chunk)
    except OSError:  # one of them is gone, so the other direction is over, too
        with contextlib.suppress(OSError):
            source.shutdown(socket.SHUT_RDWR)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def main() -> NoReturn:
    """Open the doors, run the command, and exit as it did."""
    config = read_config()
    _keep_private()
    live(config, [Forwarder(int(port), path) for port, path in config["doors"].items()], os._exit)


def read_config() -> dict[str, Any]:
    """What this process has to do, from the file that its command line names."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        config: dict[str, Any] = json.load(file)
    return config


def live(
    config: dict[str, Any], doors: list[Forwarder], leave: Callable[[int], NoReturn]
) -> NoReturn:
    """Run the agent's command, and leave with its exit code, or when the host is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # only the host ends a room
    status: int | None = config["status"]
    if status is not None:
        os.set_inheritable(status, False)
    _say(status, LISTENING)
    hosts = [status, _lifeline(config.get("lifeline"))]
    agent = _start(config)  # before there are threads, which a fork would not copy
    _say(status, STARTED)
    for door in doors:
        door.start()
    for handle in hosts:
        if handle is not None:
            threading.Thread(target=_leave_with_host, args=(handle, leave), daemon=True).start()
    if config.get("seconds") is not None:
        given = config["seconds"], leave
        threading.Thread(target=_leave_in_time, args=given, daemon=True).start()
    while True:
        pid, how = os.wait()
        if pid == agent:
            code = 128 + os.WTERMSIG(how) if os.WIFSIGNALED(how) else os.WEXITSTATUS(how)
            _say(status, ENDED + b" %d" % code)
            leave(code)


def _keep_private() -> None:
    """Have nobody of the same user look into this process or change it, where that is possible.

    Nor at the keys that the kernel keeps for the host's session, which no namespace hides.
    """
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        libc.prctl(_DUMPABLE, 0, 0, 0, 0)
        if os.uname().machine in _KEYCTL:
            libc.syscall(_KEYCTL[os.uname().machine], _JOIN_SESSION_KEYRING, None, 0, 0, 0)
    except (ImportError, OSError, AttributeError):
        os.write(2, b"The door's process cannot be kept private here.\n")


def _say(status: int | None, word: bytes) -> None:
    if status is not None:
        with contextlib.suppress(BrokenPipeError):  # the host is gone, which others look after
            os.write(status, word + b"\n")


def _lifeline(path: str | None) -> int | None:
    """A handle of the pipe that the host holds open; None if there is none that could tell."""
    if path is None:
        return None
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        os.write(2, f"The room does not notice should its host be gone: {error}\n".encode())
        return None
    try:
        os.read(handle, 1)
    except BlockingIOError:  # somebody is at the other end
        return handle
    except OSError:
        pass
    os.close(handle)  # an engine in another system, such as a virtual machine, has nobody there
    return None


def _leave_with_host(handle: int, leave: Callable[[int], NoReturn]) -> None:
    """Leave as soon as nobody is at the other end of a handle any more."""
    poll = select.poll()
    poll.register(handle, 0)  # errors are always told
    poll.poll()
    leave(1)


def _leave_in_time(seconds: float, leave: Callable[[int], NoReturn]) -> None:
    """Leave after the time that the host allows, should it not end the room itself."""
    time.sleep(seconds)
    leave(1)


def _start(config: dict[str, Any]) -> int:
    """Start the command as a process of its own session; returns its number."""
    pid = os.fork()
    if pid:
        return pid
    try:
        _become_agent(config)
    except Exception as error:
        os.write(2, f"{config['command'][0]} cannot be started: {error}\n".encode())
    finally:
        os._exit(CANNOT_START)


def _become_agent(config: dict[str, Any]) -> None:
    import resource

    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    for name, limit in config["limits"].items():
        kind = getattr(resource, f"RLIMIT_{name}")
        _, highest = resource.getrlimit(kind)
        lowest = limit if highest == resource.RLIM_INFINITY else min(limit, highest)
        resource.setrlimit(kind, (lowest, lowest))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123
        file.write("500")  # where memory runs out, it is not the host's own work that goes first
    if config["processors"] is not None:
        os.sched_setaffinity(0, config["processors"])
    os.chdir(config["folder"])
    os.execvpe(config["command"][0], config["command"], config["environment"])  # noqa: S606


if __name__ == "__main__":
    main()
