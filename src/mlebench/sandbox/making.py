"""What all kinds of rooms on this machine have in common: their folders, variables and ends."""

from __future__ import annotations

import logging
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from mlebench.errors import SandboxError
from mlebench.sandbox.layout import AGENT, COLLECTED, places
from mlebench.sandbox.room import RoomEnd, RoomLimits, RoomPlan
from mlebench.sandbox.walking import remove_tree
from mlebench.sandbox.watching import LEAST_FREE_DISK, Verdict

logger = logging.getLogger(__name__)

TEMPORARY = "tmp"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# Far above what is allowed, for what is faster than the watch: threads count as well here, and
# libraries reserve much more memory than they use.
MEMORY_FACTOR, DISK_FACTOR = 4, 2
FINISHED = "The agent finished."
STOPPED_EARLY = Verdict("stopped", "The run was stopped before the agent started.")


def refuse_container_wishes(plan: RoomPlan, kind: str) -> None:
    """Make sure that a plan asks for nothing that only containers have.

    Raises:
        SandboxError: It does.
    """
    if plan.privileged:
        raise SandboxError(
            f"The run {plan.name} asks for all rights of the host, which rooms of the kind "
            f"{kind} never give; use the kind container."
        )


@contextmanager
def room_folder(plan: RoomPlan) -> Iterator[None]:
    """Fill a room's folder with what goes in it; afterwards only what is collected is left.

    Raises:
        SandboxError: It cannot be filled.
    """
    try:
        # Before anything is in it: what is in there may be for everybody, for the sake of an
        # agent's user, and hold keys. What is bound into a room needs no way in from above.
        plan.folder.chmod(stat.S_IRWXU)
        _clear(plan.folder)
        _fill(plan)
    except (OSError, shutil.Error) as error:
        raise SandboxError(f"The folder {plan.folder} cannot be made a room: {error}") from error
    try:
        yield
    finally:
        try:
            _clear(plan.folder)
        except OSError as error:  # no reason to lose what the agent did
            logger.error("The room of %s is not all removed: %s", plan.name, error)


def _fill(plan: RoomPlan) -> None:
    free = shutil.disk_usage(plan.folder).free
    if free < LEAST_FREE_DISK:
        raise SandboxError(
            f"The disk of {plan.folder} has only {free / 10**9:.2f} GB left, too little for a room."
        )
    for name in (*COLLECTED, TEMPORARY):
        (plan.folder / name).mkdir(exist_ok=True)
    (plan.folder / TEMPORARY).chmod(0o1777)
    # Not through links: those that lead out of the agent's folder lead nowhere in the room.
    shutil.copytree(plan.agent, plan.folder / AGENT, symlinks=True, ignore=_special_files)
    (plan.folder / AGENT).chmod(0o755)


def _special_files(folder: str, names: list[str]) -> list[str]:
    """Those of the names that are no file, folder or link, such as pipes."""
    kinds = {name: stat.S_IFMT(Path(folder, name).lstat().st_mode) for name in names}
    usual = {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
    return [name for name, kind in kinds.items() if kind not in usual]


def _clear(folder: Path) -> None:
    """Remove all but the collected folders."""
    with os.scandir(folder) as listing:
        entries = [entry for entry in listing if entry.name not in COLLECTED]
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            remove_tree(Path(entry.path))
        else:
            Path(entry.path).unlink(missing_ok=True)


def write_texts(plan: RoomPlan, folder: Path) -> None:
    """Write a plan's texts into a folder; those that can be run are made so."""
    for name, text in plan.texts.items():
        file = folder / name
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755 if name.endswith(".sh") else 0o644)


def variables(plan: RoomPlan, home: PurePosixPath, temporary: str) -> dict[str, str]:
    """The environment of a room: nothing of the host's, then what the plan says."""
    path = [str(plan.python.executables)] if plan.python else []
    return {
        "PATH": ":".join([*path, SYSTEM_PATH]),
        "LANG": "C.UTF-8",
        "USER": "agent",
        "LOGNAME": "agent",
        "SHELL": "/bin/sh",
        "TMPDIR": temporary,
        **places(home),
        **plan.environment,
    }


def hard_limits(limits: RoomLimits) -> dict[str, int]:
    """What the kernel holds each process of a room to, should it be faster than the watch."""
    wanted = {
        "CORE": 0,
        "FSIZE": None if limits.disk is None else DISK_FACTOR * limits.disk,
        "DATA": None if limits.memory is None else MEMORY_FACTOR * limits.memory,
    }
    return {name: limit for name, limit in wanted.items() if limit is not None}


def room_end(verdict: Verdict | None, exit_code: int | None, seconds: float) -> RoomEnd:
    """How a room ended: by a verdict, else by the command's own exit code."""
    if verdict:
        return RoomEnd(verdict.cause, verdict.message, None, seconds)
    if exit_code is None:
        return RoomEnd("infrastructure", "The room was ended from outside.", None, seconds)
    if exit_code == 0:
        return RoomEnd("finished", FINISHED, 0, seconds)
    how = f"by signal {exit_code - 128}" if exit_code > 128 else f"with exit code {exit_code}"
    return RoomEnd("agent_error", f"The agent ended {how}.", exit_code, seconds)


def last_lines(log: Path, most: int = 1000) -> str:
    """The end of a log, for a message."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - most))
            return file.read().decode(errors="backslashreplace").strip()
    except OSError as error:
        return f"(the log cannot be read: {error})"
