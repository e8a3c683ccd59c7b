"""Folders on their way through a socket, as a stream of tar.

They arrive as a room would copy them: links as links, so that what is elsewhere stays there, and
nothing that is no file, folder or link. The last entry counts all others, since a stream of tar
that was cut off between two entries looks like a whole one.
"""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlebench.errors import SandboxError

LAST = "."
"""The name of the last entry, which nothing in a folder can have."""
COUNT = "MLEBENCH.entries"
MAY_RUN = 0o111


def send_folder(folder: Path, stream: Any) -> None:
    """Write a folder's content to a stream."""
    count = 0
    with tarfile.open(fileobj=stream, mode="w|", format=tarfile.PAX_FORMAT) as packed:
        for path in _below(folder):
            entry = packed.gettarinfo(path, str(path.relative_to(folder)))
            if entry.islnk():  # another name of a file that was sent; it is sent again
                entry.type, entry.linkname, entry.size = tarfile.REGTYPE, "", path.stat().st_size
            if entry.isreg():
                # As it is for us, by which folders are told apart; others' rights do not arrive.
                entry.mode = entry.mode & ~MAY_RUN | (MAY_RUN if os.access(path, os.X_OK) else 0)
                with path.open("rb") as file:
                    packed.addfile(entry, file)
            else:
                packed.addfile(entry)
            count += 1
        last = tarfile.TarInfo(LAST)
        last.type, last.pax_headers = tarfile.DIRTYPE, {COUNT: str(count)}
        packed.addfile(last)


def _below(folder: Path) -> Iterator[Path]:
    """All that is sent of a folder; links are not followed, and may lead in circles."""
    for path in sorted(folder.iterdir()):
        kind = stat.S_IFMT(path.lstat().st_mode)
        if kind in (stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK):
            yield path
        if kind == stat.S_IFDIR:
            yield from _below(path)


def receive_folder(stream: Any, folder: Path, *, may_have_links: bool = False) -> None:
    """Make a folder's content from a stream; nothing gets outside of it.

    Args:
        stream: Where it comes from.
        folder: Where it goes.
        may_have_links: Whether it comes from somebody who may send links.

    Raises:
        SandboxError: The stream ended early, or holds what no folder of ours does.
    """
    links: list[tarfile.TarInfo] = []
    arrived, sent = 0, None
    try:
        with tarfile.open(fileobj=stream, mode="r|") as packed:
            for member in packed:
                if member.name == LAST:
                    sent = member.pax_headers.get(COUNT)
                    continue
                arrived += 1
                if member.issym() and may_have_links:
                    links.append(member)
                elif member.isfile() or member.isdir():
                    packed.extract(member, folder, filter="data")
                else:
                    raise SandboxError(f"A file of a strange kind arrived: {member.name!r}.")
    except (tarfile.TarError, EOFError) as error:
        raise SandboxError(f"A folder did not arrive whole: {error}.") from error
    if sent != str(arrived):
        raise SandboxError(f"A folder did not arrive whole: it ended after {arrived:,} entries.")
    for link in links:  # last, so that nothing is written through one
        _make_link(link, folder)


def _make_link(link: tarfile.TarInfo, folder: Path) -> None:
    place = folder / link.name
    if not place.parent.resolve().is_relative_to(folder.resolve()):
        raise SandboxError(f"A link arrived that would be elsewhere: {link.name!r}.")
    place.symlink_to(link.linkname)
