"""The first steps in a container, before the agent's command: rights, then another user.

A script for whatever Python an image has; it knows nothing of this package
and needs no newer Python than 3.8. Whoever starts it
is root of the container with few powers. ::

    container_entry.py enter STATE DATA FILTERS [FOLDER ...] -- SCRIPT [ARGUMENT ...]
    container_entry.py hand-over FOLDER [FOLDER ...]
"""

from __future__ import annotations

import os
import pwd
import sys
from typing import NoReturn

AGENT_USER = "nonroot"  # that of images made for the original
OTHERWISE = 1000
SUCCESS, UNREADABLE = "entered", "unreadable"
NO_NEW_RIGHTS, SET_FILTER, FILTER_MODE, BYTES_OF_STEP = 38, 22, 2, 8
MOST_LOOKED_AT = 10_000
"""Files and folders: what was made at once has the same rights, and there may be millions."""


def enter(state: str, data: str, filters: str, opened: list[str], command: list[str]) -> NoReturn:
    """Become the script, as a user without powers; leave a sign that it came so far.

    Or that it did not, since that user may not read the data.
    """
    for folder in opened:
        open_to_all(folder)
    try:
        found = pwd.getpwnam(AGENT_USER)
        user, group = found.pw_uid, found.pw_gid
    except KeyError:
        user = group = OTHERWISE
    os.setgroups([])
    os.setegid(group)
    os.seteuid(user)
    is_readable = can_read(data)
    os.seteuid(0)
    with open(os.path.join(state, SUCCESS if is_readable else UNREADABLE), "w"):  # noqa: PTH118, PTH123
        pass
    if not is_readable:
        sys.exit(1)
    os.setgid(group)
    os.setuid(user)
    refuse_calls(os.path.join(filters, os.uname().machine))  # noqa: PTH118
    os.execv(sys.executable, [sys.executable, "-I", "-S", *command])  # noqa: S606


def refuse_calls(path: str) -> None:
    """Have the kernel refuse what a filter of system calls names, from now on and for all below."""
    if not os.path.exists(path):  # noqa: PTH110
        return  # none is known for this machine, or the agent has all rights
    try:
        import ctypes

        with open(path, "rb") as file:  # noqa: PTH123
            program = file.read()

        class Program(ctypes.Structure):
            _fields_ = [("steps", ctypes.c_ushort), ("first", ctypes.c_char_p)]

        libc = ctypes.CDLL(None, use_errno=True)
        given = Program(len(program) // BYTES_OF_STEP, program)
        calls = ((NO_NEW_RIGHTS, 1, 0, 0, 0), (SET_FILTER, FILTER_MODE, ctypes.byref(given), 0, 0))
        if all(libc.prctl(*call) == 0 for call in calls):
            return
        reason = os.strerror(ctypes.get_errno())
    except (ImportError, OSError, AttributeError) as error:
        reason = str(error)
    os.write(2, ("The room has no filter of system calls: %s\n" % reason).encode())  # noqa: UP031


def can_read(folder: str) -> bool:
    """Whether we can read a folder and what is below it, as far as it is looked at."""
    looked_at = 0
    try:
        os.close(os.open(folder, os.O_RDONLY))
        for parent, folders, names in os.walk(folder):
            for path in (os.path.join(parent, name) for name in folders + names):  # noqa: PTH118
                if not os.path.islink(path):  # noqa: PTH114
                    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
                looked_at += 1
                if looked_at >= MOST_LOOKED_AT:
                    return True
    except OSError as error:
        return not isinstance(error, PermissionError)  # whatever else is wrong, rights are not
    return True


def open_to_all(folder: str) -> None:
    """Let everybody read and write a folder with all below it, as the original's images do."""
    for parent, _, names in os.walk(folder):
        widen(parent)
        for name in names:
            widen(os.path.join(parent, name))  # noqa: PTH118


def widen(path: str) -> None:
    """Give everybody the rights to read and write; what may be run may be run by all."""
    if not os.path.islink(path):  # noqa: PTH114
        mode = os.stat(path).st_mode & 0o7777  # noqa: PTH116
        is_run = os.path.isdir(path) or mode & 0o100  # noqa: PTH112
        os.chmod(path, mode | 0o666 | (0o111 if is_run else 0))  # noqa: PTH101, S103


def hand_over(folder: str) -> None:
    """Give all in a folder to the folder's owner, in what way the owner can remove it.

    On the host the agent's files belong to a user that the host may not know.
    """
    owner = os.lstat(folder)
    for parent, folders, names, handle in os.fwalk(folder):
        for name in folders + names:
            os.chown(name, owner.st_uid, owner.st_gid, dir_fd=handle, follow_symlinks=False)
        if parent != folder:
            os.fchmod(handle, 0o755)


def main(arguments: list[str]) -> None:
    """Do what the first argument says."""
    if arguments[0] == "hand-over":
        for folder in arguments[1:]:
            hand_over(folder)
        return
    end = arguments.index("--")
    state, data, filters, *opened = arguments[1:end]
    enter(state, data, filters, opened, arguments[end + 1 :])


if __name__ == "__main__":
    main(sys.argv[1:])
