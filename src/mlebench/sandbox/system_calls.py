"""System calls that no namespace keeps inside a room, and the filter that refuses them.

The kernel runs the filter before each call of a room's processes. It is a program for the
machine that Linux has for this (classic BPF, see `man 2 seccomp`), made by hand, since there
are few calls to refuse: everything else stays as it is.
"""

from __future__ import annotations

import errno
import logging
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

logger = logging.getLogger(__name__)

KEYS = ("keyctl", "add_key", "request_key")
"""The kernel keeps keys by user, so that a room would find those of the host and other rooms."""
HIDING_PLACES = ("shmget", "shmat", "msgget", "memfd_create", "memfd_secret", "io_uring_setup")
"""What these make holds memory or files without any process that could be asked how much.

Programs have other ways where a kernel lacks them, so that is what they are told.
"""
PROCESSORS = "sched_setaffinity"
VIRTUAL_MACHINES = 40
"""The family of sockets that lead to the machine's own host (AF_VSOCK)."""


@dataclass(frozen=True)
class _Machine:
    """What differs between processors.

    Attributes:
        architecture: What the kernel calls it in each call.
        numbers: Those of system calls, by name.
        other_calls: From which number on calls are those of another convention, if there is one.
    """

    architecture: int
    numbers: dict[str, int]
    other_calls: int | None = None


_MACHINES = {
    "x86_64": _Machine(
        0xC000003E,
        {
            "shmget": 29, "shmat": 30, "socket": 41, "msgget": 68, "sched_setaffinity": 203,
            "add_key": 248, "request_key": 249, "keyctl": 250, "memfd_create": 319,
            "io_uring_setup": 425, "memfd_secret": 447,
        },
        other_calls=0x40000000,
    ),
    "aarch64": _Machine(
        0xC00000B7,
        {
            "sched_setaffinity": 122, "msgget": 186, "shmget": 194, "shmat": 196, "socket": 198,
            "add_key": 217, "request_key": 218, "keyctl": 219, "memfd_create": 279,
            "io_uring_setup": 425, "memfd_secret": 447,
        },
    ),
}  # fmt: skip

# The instructions, and where they find what is called.
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000


MACHINES = tuple(_MACHINES)
"""Those that we know a filter for, as `uname` names them."""


def filter_program(
    machine: str, *, keeps_processors: bool = False, is_memory_counted: bool = False
) -> bytes | None:
    """The filter for a machine, as bubblewrap takes it; None if we know none for it.

    Calls of other architectures that the processor also understands are refused altogether,
    since they have other numbers.

    Args:
        machine: Its processor, as `uname` names it.
        keeps_processors: Whether processes stay on the processors that they were started on.
        is_memory_counted: Whether the kernel itself counts a room's memory, wherever it is hidden.
    """
    known = _MACHINES.get(machine)
    if known is None:
        return None
    errors = dict.fromkeys(KEYS, errno.EPERM)
    if not is_memory_counted:
        errors |= dict.fromkeys(HIDING_PLACES, errno.ENOSYS)
    if keeps_processors:
        errors[PROCESSORS] = errno.EPERM
    # Each condition goes on with the next instruction, or skips as many as it says.
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_IF_EQUAL, 1, 0, known.architecture),
        (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if known.other_calls is not None:
        steps += [
            (_IF_AT_LEAST, 0, 1, known.other_calls),
            (_RETURN, 0, 0, _REFUSE | errno.ENOSYS),
        ]
    for name, error in errors.items():
        steps += [(_IF_EQUAL, 0, 1, known.numbers[name]), (_RETURN, 0, 0, _REFUSE | error)]
    steps += [
        (_IF_EQUAL, 0, 3, known.numbers["socket"]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),  # its lower half, on these machines
        (_IF_EQUAL, 0, 1, VIRTUAL_MACHINES),
        (_RETURN, 0, 0, _REFUSE | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


@contextmanager
def filter_handle(*, keeps_processors: bool = False) -> Iterator[int | None]:
    """A handle that the filter for this machine is read from; None if there is none."""
    machine = os.uname().machine
    program = filter_program(machine, keeps_processors=keeps_processors)
    if program is None:
        logger.debug("No filter of system calls is known for %s; rooms go without", machine)
        yield None
        return
    source, target = os.pipe()
    try:
        with os.fdopen(target, "wb") as file:  # much less than a pipe holds
            file.write(program)
        yield source
    finally:
        os.close(source)
