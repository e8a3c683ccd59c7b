"""Taking what an agent left out of its room, without trusting any of it.

Regular files and folders are taken, within limits; links, pipes, sockets and devices are left
and listed. Nothing an agent can leave makes this fail, hang or reach outside of its folders.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from mlebench.errors import UnwritableFolderError
from mlebench.holes import has_holes
from mlebench.printable import printable
from mlebench.sandbox.layout import COLLECTED, SUBMISSION_FILE
from mlebench.sandbox.room import GIGABYTE
from mlebench.sandbox.walking import DEEPEST, FOLDER_FLAGS, Entry, change_mode, opened_folder, walk

FILE_MODE, PROGRAM_MODE, FOLDER_MODE = 0o644, 0o755, 0o755
CHUNK = 1 << 20
MOST_LISTED = 100
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}

_KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


@dataclass(frozen=True)
class CollectLimits:
    """How much of what an agent left is kept.

    Attributes:
        total_bytes: Of all files together, by their length.
        files: How many files and folders.
        depth: How many levels of folders.
        file_bytes: Of a single file, by its length.
    """

    total_bytes: int = 20 * GIGABYTE
    files: int = 100_000
    depth: int = DEEPEST
    file_bytes: int = 10 * GIGABYTE


@dataclass
class Collected:
    """What was taken, and what was not.

    Attributes:
        files: How many files were taken.
        bytes: Their length.
        left_out: The first things that were left, as printable text, and why.
        left_out_count: How many there were in all, as far as anybody looked.
    """

    files: int = 0
    bytes: int = 0
    left_out: list[tuple[str, str]] = field(default_factory=list)
    left_out_count: int = 0

    def leave_out(self, path: tuple[str, ...], reason: str) -> None:
        """Note that something was left."""
        self.left_out_count += 1
        if len(self.left_out) < MOST_LISTED:
            name = os.fsencode("/".join(path)).decode(errors="backslashreplace")
            self.left_out.append((printable(name), reason))


def collect(source: Path, target: Path, limits: CollectLimits | None = None) -> Collected:
    """Take submission, logs and code from a room's folder into the folder of a run.

    What is taken is moved, if both are on one disk. The source can be removed afterwards.

    Raises:
        UnwritableFolderError: The target cannot be written.
    """
    collected = Collected()
    collector = _Collector(collected, limits or CollectLimits())
    for name in COLLECTED:
        try:
            (target / name).mkdir(parents=True, exist_ok=True)
            with opened_folder(target / name) as folder:
                collector.take_all(source / name, folder, name)
        except OSError as error:
            raise UnwritableFolderError(
                f"What the agent left cannot be kept in {target / name}: {error}"
            ) from error
    return collected


class _Collector:
    def __init__(self, collected: Collected, limits: CollectLimits) -> None:
        self._collected = collected
        self._limits = limits
        self._entries = 0

    def take_all(self, source: Path, target: int, name: str) -> None:
        """Take what is below a folder; an `OSError` is one of the target's."""
        if source.is_symlink() or not source.is_dir():
            self._collected.leave_out((name,), "no folder")
            return
        with contextlib.suppress(OSError):  # then there is nothing to be had
            source.chmod(stat.S_IRWXU)
        folders = _TargetFolders(target)
        with contextlib.closing(folders):
            for entry in walk(source, self._limits.depth, gives_rights=True):
                if self._entries >= self._limits.files:
                    self._collected.leave_out((name, "..."), "too many files")
                    return
                self._entries += 1
                reason = entry.reason or self._reason_against(entry) or _take(entry, folders)
                if reason:
                    self._collected.leave_out((name, *entry.path), reason)
                elif not entry.is_folder:
                    self._collected.files += 1
                    self._collected.bytes += entry.found.st_size

    def _reason_against(self, entry: Entry) -> str | None:
        kind = stat.S_IFMT(entry.found.st_mode)
        if kind == stat.S_IFDIR:
            return None
        if kind != stat.S_IFREG:
            return _KINDS.get(kind, "no file")
        if entry.found.st_size > self._limits.file_bytes:
            return f"{entry.found.st_size:,} bytes long"
        if self._collected.bytes + entry.found.st_size > self._limits.total_bytes:
            return "too many bytes in all"
        return None


class _TargetFolders:
    """Handles of the folders on the way to where the walk is, made as they are needed."""

    def __init__(self, top: int) -> None:
        self._handles = [top]
        self._path: tuple[str, ...] = ()

    def get(self, path: tuple[str, ...]) -> int:
        """The handle of a folder; the walk leaves a folder before it enters the next."""
        common = 0
        while common < min(len(path), len(self._path)) and path[common] == self._path[common]:
            common += 1
        self._leave(common)
        for name in path[common:]:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, FOLDER_MODE, dir_fd=self._handles[-1])
            self._handles.append(os.open(name, FOLDER_FLAGS, dir_fd=self._handles[-1]))
            self._path = (*self._path, name)
        return self._handles[-1]

    def _leave(self, level: int) -> None:
        while len(self._path) > level:
            os.close(self._handles.pop())
            self._path = self._path[:-1]

    def close(self) -> None:
        """Let go of all but the first."""
        self._leave(0)


def _take(entry: Entry, folders: _TargetFolders) -> str | None:
    """Take a file or make a folder; returns why that was not possible.

    Raises:
        OSError: The target has no place for anything.
    """
    try:
        if entry.is_folder:
            folders.get(entry.path)
        else:
            _take_file(entry, folders.get(entry.path[:-1]))
    except OSError as error:
        if error.errno in FULL:
            raise
        return error.strerror or type(error).__name__
    return None


def _take_file(entry: Entry, target: int) -> None:
    mode = PROGRAM_MODE if entry.found.st_mode & stat.S_IXUSR else FILE_MODE
    change_mode(entry.name, entry.folder, mode)
    if entry.found.st_nlink == 1:  # else somebody else may have, and change, the same file
        try:
            os.rename(entry.name, entry.name, src_dir_fd=entry.folder, dst_dir_fd=target)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
        else:
            return
    _copy_file(entry, target, mode)


def _copy_file(entry: Entry, target: int, mode: int) -> None:
    """Copy a file into a folder, no more of it than there was when it was looked at."""
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    source = os.open(entry.name, os.O_RDONLY | flags, dir_fd=entry.folder)
    try:
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        copy = os.open(entry.name, new, mode, dir_fd=target)
        try:
            left = entry.found.st_size
            while left and (chunk := os.read(source, min(left, CHUNK))):
                left -= len(chunk)
                while chunk:
                    chunk = chunk[os.write(copy, chunk) :]
            os.fchmod(copy, mode)
        finally:
            os.close(copy)
    finally:
        os.close(source)


def read_submission_safely(folder: Path, most_bytes: int) -> bytes | None:
    """The submission in an agent's folder while the agent is at work.

    None if it cannot be copied, see `copy_submission_safely`.
    """
    content = io.BytesIO()
    return content.getvalue() if copy_submission_safely(folder, content, most_bytes) else None


def copy_submission_safely(folder: Path, target: BinaryIO, most_bytes: int) -> str | None:
    """Copy the submission in an agent's folder while the agent is at work; its digest.

    None if there is none, if it is no regular file or too long, has holes, which no csv has and
    which would become real bytes, or changes while it is read.

    Raises:
        OSError: The target cannot be written.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        with opened_folder(folder) as handle:
            file = os.open(SUBMISSION_FILE, flags, dir_fd=handle)
    except OSError:  # not there, a link, not to be read: all of it the agent's affair
        return None
    try:
        before = os.fstat(file)
        left = before.st_size
        if not stat.S_ISREG(before.st_mode) or left > most_bytes or has_holes(file, left):
            return None
        digest = hashlib.sha256()
        while left and (chunk := _read(file, min(CHUNK, left))):
            digest.update(chunk)
            target.write(chunk)
            left -= len(chunk)
        after = os.fstat(file)
    finally:
        os.close(file)
    is_same = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    return digest.hexdigest() if is_same and not left else None


def _read(file: int, size: int) -> bytes:
    """Some bytes of a file; none if they cannot be had."""
    try:
        return os.read(file, size)
    except OSError:
        return b""
