"""Putting files in place without copying their bytes where the disk allows it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.errors import DataSourceError


def place(source: Path, target: Path) -> None:
    """Make ``target`` the same file as ``source``: a hard link, or a copy across disks."""
    _place(str(source), str(target))


def place_all(names: Iterable[str], source: Path, target: Path) -> None:
    """Place files of these names from one folder into another."""
    target.mkdir(parents=True, exist_ok=True)
    # Joined as texts: with hundreds of thousands of files, path objects cost as much as the links.
    sources, targets = f"{source}{os.sep}", f"{target}{os.sep}"
    with _opened(source) as origin, _opened(target) as aim:
        for name in names:
            try:
                # From open folders, which saves looking both of them up for every file; this way
                # the system also follows symbolic links.
                os.link(name, name, src_dir_fd=origin, dst_dir_fd=aim)
            except (OSError, NotImplementedError):
                _place(f"{sources}{name}", f"{targets}{name}")


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    if not folder.is_dir():
        raise DataSourceError(f"The raw data lack the folder {folder.name} ({folder}).")
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def place_each(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Place files one by one, each under a name of its own."""
    for source, target in pairs:
        _place(str(source), str(target))


def copy_each(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Copy files one by one, where their dates or their place on the disk would tell a label.

    A link shows both of them, and raw files that lie in a folder for each class were written
    class by class.
    """
    for source, target in pairs:
        _require(str(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def place_tree(source: Path, target: Path, leave_out: Collection[str] = ()) -> None:
    """Place a folder with all that is in it, but for files and folders of certain names."""
    if not source.is_dir():
        raise DataSourceError(f"The raw data lack the folder {source.name} ({source}).")
    target.mkdir(parents=True, exist_ok=True)
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.name in leave_out:
                continue
            if entry.is_dir():
                place_tree(Path(entry.path), target / entry.name, leave_out)
            else:
                _place(entry.path, f"{target}{os.sep}{entry.name}")


def _place(source: str, target: str) -> None:
    # A link to a symbolic link would lead nowhere from another folder.
    real = os.path.realpath(source) if os.path.islink(source) else source  # noqa: PTH114
    try:
        os.link(real, target)
    except FileNotFoundError:
        _require(source)
        # Folders are made when one turns out to be missing, not asked for with every file.
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        _place(source, target)
    except FileExistsError:
        Path(target).unlink()
        _place(source, target)
    except OSError:
        shutil.copyfile(real, target)


def _require(source: str) -> None:
    if not Path(source).exists():
        raise DataSourceError(f"The raw data lack the file {Path(source).name} ({source}).")


def names_by_folder(folder: Path, suffix: str) -> list[tuple[str, str]]:
    """The files in the folders inside a folder, each as the name of its folder and its own.

    Both are sorted; other endings are passed over, and so are files beside the folders.
    """
    if not folder.is_dir():
        raise DataSourceError(f"The raw data lack the folder {folder.name} ({folder}).")
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [
        (path.parent.name, path.name) for own in inside for path in sorted(own.glob(f"*{suffix}"))
    ]
