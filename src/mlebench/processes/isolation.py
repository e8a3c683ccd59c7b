"""What a process gets from whoever starts it: as little as it needs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
import sys
from pathlib import Path

from mlebench.processes.trees import MARK_VARIABLE
from mlebench.settings import PACKAGE_DIR

# Where programs, libraries, caches and the words of this country are. No keys, no tokens, nothing
# that changes how Python starts; whatever is meant for a grader can be called MLEBENCH_*.
PASSED_ON = {
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH", "SSL_CERT_FILE", "CUDA_VISIBLE_DEVICES",
}  # fmt: skip
PASSED_ON_BEGINNINGS = ("MLEBENCH_", "MLE_BENCH_", "LC_", "XDG_", "OMP_", "OPENBLAS_", "MKL_")

START = """
import json, sys
given = json.loads(sys.argv[1])
sys.path[:] = given + [place for place in sys.path if place not in given]
from mlebench.processes.keeper import main
main()
"""


def keeper_command() -> list[str]:
    """How to start a keeper that finds what we find, and nothing in the working directory."""
    return [sys.executable, "-I", "-c", START, json.dumps(import_path())]


def import_path() -> list[str]:
    """Where this process finds modules, without the places that Python adds by itself.

    These are the working directory and the folder of the script; a file that happens to lie
    there must not stand in for a library. Other places that the user added stay.
    """
    added = {os.path.dirname(os.path.realpath(sys.argv[0]))}  # noqa: PTH120
    with contextlib.suppress(FileNotFoundError):  # of a directory that is gone
        added.add(os.path.realpath(""))
    own = str(PACKAGE_DIR.parent)
    kept = [
        entry
        for entry in sys.path
        if Path(entry).is_absolute() and os.path.realpath(entry) not in added
    ]
    return kept if own in kept else [*kept, own]


def clean_environment(mark: str, folder: Path) -> dict[str, str]:
    """The environment of a keeper whose own folder this is."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in PASSED_ON or name.startswith(PASSED_ON_BEGINNINGS)
    }
    return kept | {
        MARK_VARIABLE: mark,
        "TMPDIR": str(folder),
        # Its own allocator takes a gigabyte at once, which would count against the limit.
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its content, whatever rights somebody took from it."""
    if folder.is_symlink():  # put there in its place; what it leads to is none of ours
        folder.unlink(missing_ok=True)
    if not folder.is_dir():
        return
    shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir():
        _give_back_rights(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _give_back_rights(folder: Path) -> None:
    """Make every folder in here one that its owner can empty; links are not followed."""
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                _give_back_rights(Path(entry.path))
