"""Folders on their way through a socket, as a stream of tar."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

from mlebench.errors import SandboxError


def send_folder(folder: Path, stream: Any) -> None:
    """Write a folder's content to a stream."""
    with tarfile.open(fileobj=stream, mode="w|", dereference=True) as packed:
        for entry in sorted(folder.iterdir()):
            packed.add(entry, entry.name)


def receive_folder(stream: Any, folder: Path) -> None:
    """Make a folder's content from a stream; nothing gets outside of it.

    Raises:
        SandboxError: The stream ended early, or holds what no folder of ours does.
    """
    try:
        with tarfile.open(fileobj=stream, mode="r|") as packed:
            for member in packed:
                if not member.isfile() and not member.isdir():
                    raise SandboxError(f"A file of a strange kind arrived: {member.name!r}.")
                packed.extract(member, folder, filter="data")
    except (tarfile.TarError, EOFError) as error:
        raise SandboxError(f"A folder did not arrive whole: {error}.") from error
