"""The folders that a preparation may take files from and write to.

Ids in raw tables become names of files, and raw data are not to be trusted: an id such as
``../../x`` must neither publish a stranger's file nor overwrite one. Paths are compared as texts,
which costs nothing beside a link; symbolic links among raw files are the user's and followed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import DataSourceError


@dataclass(frozen=True)
class _Bounds:
    """Beginnings of paths, each with a separator at its end."""

    sources: tuple[str, ...]
    targets: tuple[str, ...]


_BOUNDS: ContextVar[_Bounds | None] = ContextVar("_BOUNDS", default=None)


@contextmanager
def bounded(raw: Path, public: Path, private: Path, own: Path) -> Iterator[None]:
    """Let what happens in here take files from these folders, and write to two of them.

    Args:
        raw: The raw data, which are only read.
        public: Where the public files go.
        private: Where the answers go.
        own: The folder of the competition, which is only read, too.
    """
    targets = _beginnings(public, private)
    with _set(_Bounds(_beginnings(raw, own) + targets, targets)):
        yield


@contextmanager
def temporarily_within(folder: Path) -> Iterator[None]:
    """Allow one more folder to take files from and to write to, where there are bounds at all."""
    bounds = _BOUNDS.get()
    more = _beginnings(folder)
    with _set(_Bounds(bounds.sources + more, bounds.targets + more) if bounds else None):
        yield


@contextmanager
def _set(bounds: _Bounds | None) -> Iterator[None]:
    token = _BOUNDS.set(bounds)
    try:
        yield
    finally:
        _BOUNDS.reset(token)


def _beginnings(*folders: Path) -> tuple[str, ...]:
    """How paths in these folders may begin: as they were given, in full, without links."""
    ways = (way for folder in folders for way in (folder, folder.absolute(), folder.resolve()))
    return tuple(dict.fromkeys(os.path.join(way, "") for way in ways))  # noqa: PTH118


def require_source(path: str) -> None:
    """Raise unless a file may be taken from here.

    Raises:
        DataSourceError: It lies elsewhere; the message names it.
    """
    bounds = _BOUNDS.get()
    _require(path, bounds.sources if bounds else None, "taken from")


def is_source(path: str) -> bool:
    """Whether a file, links followed, lies where files may be taken from."""
    bounds = _BOUNDS.get()
    return bounds is None or path.startswith(bounds.sources)


def require_target(path: str) -> None:
    """Raise unless a file may be written here.

    Raises:
        DataSourceError: It lies elsewhere; the message names it.
    """
    bounds = _BOUNDS.get()
    _require(path, bounds.targets if bounds else None, "written to")


def _require(path: str, beginnings: tuple[str, ...] | None, what: str) -> None:
    if "\0" in path:
        raise _refusal(path, "no file can be called so")
    if beginnings is None or (".." not in path and path.startswith(beginnings)):
        return
    full = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 (Path would drop dots)
    for way in (path, full):
        for beginning in beginnings:
            if f"{way}{os.sep}" == beginning:
                return
            if way.startswith(beginning):
                require_name(way[len(beginning) :])
                return
    raise _refusal(path, f"nothing but the folders of the competition is {what}")


def require_name(name: str) -> None:
    """Raise unless a name, maybe with folders in it, stays in whatever folder it is put into.

    Raises:
        DataSourceError: It does not; the message names it.
    """
    if "\0" in name:
        raise _refusal(name, "no file can be called so")
    if name.startswith(os.sep) or ".." in Path(name).parts:
        raise _refusal(name, "it leads out of its folder")


def _refusal(name: str, reason: str) -> DataSourceError:
    return DataSourceError(
        f"{name!r} is refused as the name of a file: {reason}. If an id in the raw tables reads "
        "so, they are not those of the contest."
    )
