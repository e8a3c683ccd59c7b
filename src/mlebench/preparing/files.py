"""Putting files in place without copying their bytes where the disk allows it.

A placed file is the raw file under a second name, so whoever writes into the one writes into
the other. Therefore placed files are read-only, and our own writers never open what lies at
their target: they put a new file there.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.errors import DataSourceError
from mlebench.preparing.bounds import is_source, require_name, require_source, require_target
from mlebench.preparing.reading import lacking, require_readable
from mlebench.writing import written_whole

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
_KIND = 0o170000  # the bits of a mode that tell files from folders, pipes and devices
_WRITE_OR_KIND = _WRITE | _KIND


def fresh_file(path: Path) -> Path:
    """The same path with nothing there, in a folder that exists: a place to write to.

    Raises:
        DataSourceError: A preparation must not write there.
    """
    require_target(str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path


def own_file(path: Path) -> Path:
    """The same path with what is there already, but in no other file: a place to append to.

    Raises:
        DataSourceError: A preparation must not write there.
    """
    require_target(str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        status = path.lstat()
        is_own = status.st_nlink == 1 and stat.S_ISREG(status.st_mode) and status.st_mode & _WRITE
        if not is_own:
            with written_whole(path) as partial:
                shutil.copyfile(path, partial)
    return path


def place(source: Path, target: Path) -> None:
    """Make ``target`` the same file as ``source``: a hard link, or a copy across disks.

    Raises:
        DataSourceError: It is missing or empty, or must not be taken or put there.
    """
    _place_checked(str(source), str(target))
    # A file that a competition names is not like one among thousands of pictures.
    if not target.stat().st_size:
        raise DataSourceError(f"{source.name} is empty ({source}).")


def place_each(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Place files one by one, each under a name of its own."""
    for source, target in pairs:
        _place_checked(str(source), str(target))


def place_all(names: Iterable[str], source: Path, target: Path) -> None:
    """Place files of these names from one folder into another."""
    _require_folder(source)
    require_source(str(source))
    require_target(str(target))
    target.mkdir(parents=True, exist_ok=True)
    _place_inside(names, str(source), str(target))


def _place_inside(names: Iterable[str], source: str, target: str) -> None:
    with _opened(source) as origin, _opened(target) as aim:
        for name in names:
            if ".." in name or name[:1] == os.sep or "\0" in name:
                require_name(name)
            try:
                # From open folders, which saves looking both of them up for every file.
                os.link(name, name, src_dir_fd=origin, dst_dir_fd=aim, follow_symlinks=False)
                status = os.stat(name, dir_fd=aim, follow_symlinks=False)
                if status.st_mode & _WRITE_OR_KIND != stat.S_IFREG:
                    if stat.S_ISLNK(status.st_mode):
                        os.unlink(name, dir_fd=aim)
                        raise OSError
                    _protect(name, status, aim)
            except (OSError, NotImplementedError):
                # Joined as texts: with hundreds of thousands of files, path objects cost as much
                # as the links.
                _place(f"{source}{os.sep}{name}", f"{target}{os.sep}{name}")


@contextmanager
def _opened(folder: str) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield handle
    finally:
        os.close(handle)


def copy_each(pairs: Iterable[tuple[Path, Path]]) -> None:
    """Copy files one by one, where their dates or their place on the disk would tell a label.

    A link shows both of them, and raw files that lie in a folder for each class were written
    class by class.
    """
    for source, target in pairs:
        _require_pair(str(source), str(target))
        _require_file(str(source))
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy(str(source), str(target))


def place_tree(source: Path, target: Path, leave_out: Collection[str] = ()) -> None:
    """Place a folder with all that is in it, but for files and folders of certain names."""
    _require_pair(str(source), str(target))
    _require_folder(source)
    if target.resolve().is_relative_to(source.resolve()):
        raise DataSourceError(
            f"The raw folder {source} cannot be placed in {target}, which lies in it. Give a "
            "folder that holds the raw data and nothing else."
        )
    _place_tree(str(source), str(target), leave_out, above=())


def _place_tree(
    source: str, target: str, leave_out: Collection[str], above: tuple[os.stat_result, ...]
) -> None:
    here = Path(source).stat()
    if any(os.path.samestat(here, folder) for folder in above):
        raise DataSourceError(
            f"The link {source} leads back to a folder that it lies in. Remove it, or replace it "
            "by what it stands for."
        )
    os.makedirs(target, exist_ok=True)  # noqa: PTH103
    with os.scandir(source) as entries:
        wanted = [entry for entry in entries if entry.name not in leave_out]
    folders = [entry.name for entry in wanted if _is_folder(entry)]
    _place_inside((entry.name for entry in wanted if not _is_folder(entry)), source, target)
    for name in folders:
        inside, aim = f"{source}{os.sep}{name}", f"{target}{os.sep}{name}"
        _place_tree(inside, aim, leave_out, (*above, here))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():
        return os.path.isdir(entry.path)  # noqa: PTH112 (unlike the entry, it bears links in circles)
    return entry.is_dir()


def _place_checked(source: str, target: str) -> None:
    _require_pair(source, target)
    _place(source, target)


def _place(source: str, target: str) -> None:
    real = source
    if os.path.islink(source):  # noqa: PTH114
        _require_file(source)
        # A link to a symbolic link would lead nowhere from another folder.
        real = os.path.realpath(source)
        if not is_source(real):  # not raw data, so their rights are none of ours
            Path(target).parent.mkdir(parents=True, exist_ok=True)
            _copy(real, target)
            return
    try:
        _link(real, target)
    except FileNotFoundError:
        _require_file(source)
        # Folders are made when one turns out to be missing, not asked for with every file.
        Path(target).parent.mkdir(parents=True, exist_ok=True)
        _link(real, target)
    except FileExistsError:
        if not _is_same(real, target):
            Path(target).unlink()
            _link(real, target)
    try:
        _protect(target, Path(target).stat())
    except PermissionError:  # a link to somebody else's file, whose rights only they may change
        _copy(real, target)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except (FileNotFoundError, FileExistsError):
        raise
    except OSError:  # another disk, or one without links
        _require_file(source)
        _copy(source, target)


def _is_same(source: str, target: str) -> bool:
    return os.path.samestat(Path(source).stat(), Path(target).lstat())


def _copy(source: str, target: str) -> None:
    with written_whole(Path(target)) as partial:
        shutil.copyfile(source, partial)
        _protect(str(partial), partial.stat())


def _protect(name: str, status: os.stat_result, folder: int | None = None) -> None:
    """Make a placed file read-only; what is no file is taken away again.

    Raises:
        PermissionError: It is somebody else's, whose rights are not changed, even by root.
    """
    mode = status.st_mode
    if not stat.S_ISREG(mode):
        os.unlink(name, dir_fd=folder)
        raise DataSourceError(f"The raw data have something called {name} that is no file.")
    if mode & _WRITE:
        if status.st_uid != os.geteuid():
            raise PermissionError
        os.chmod(name, stat.S_IMODE(mode) & ~_WRITE, dir_fd=folder)


def _require_pair(source: str, target: str) -> None:
    require_source(source)
    require_target(target)


def _require_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise lacking(folder, "folder")


def _require_file(source: str) -> None:
    path = Path(source)
    if path.is_dir():
        raise DataSourceError(f"{path.name} should be a file, but is a folder ({source}).")
    if not os.path.exists(source):  # noqa: PTH110 (unlike Path, it bears links in circles)
        raise lacking(source, note=", a link that leads nowhere" if path.is_symlink() else "")
    require_readable(source, "a file")


def names_by_folder(folder: Path, suffix: str) -> list[tuple[str, str]]:
    """The files in the folders inside a folder, each as the name of its folder and its own.

    Both are sorted; other endings are passed over, and so are files beside the folders.
    """
    _require_folder(folder)
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [
        (path.parent.name, path.name) for own in inside for path in sorted(own.glob(f"*{suffix}"))
    ]
