"""What a verdict depends on, as one word: whoever changes any of it gets another one."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mlebench.registry.competition import LEADERBOARD_FILE, Competition
from mlebench.settings import PACKAGE_DIR
from mlebench.stamps import file_stamp, stamp_of
from mlebench.versions import own_version, version_of

# Whose versions may decide about a score.
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "shapely")


FolderState = list[list[Any]]


def verdict_key(submission_sha256: str, competition: Competition, folder: FolderState) -> str:
    """The submission, the answers, the leaderboard, the code and the edition, condensed."""
    state: list[Any] = [
        submission_sha256,
        competition.id,
        competition.edition,
        own_code(),
        folder,
        file_stamp(competition.answers),
    ]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def folder_state(folder: Path, data: Path) -> FolderState:
    """Which files a competition has, and which version of them, as far as grading uses them."""
    state = [[entry.path, *stamp_of(entry.stat())] for entry in _entries(folder) if entry.is_file()]
    leaderboard = data / LEADERBOARD_FILE
    if leaderboard.is_file():
        state.append([str(leaderboard), *file_stamp(leaderboard)])
    return sorted(state)


def _entries(folder: Path | str) -> Iterator[os.DirEntry[str]]:
    """All that lies below a folder, but for what Python keeps there."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield entry
            elif entry.name != "__pycache__":
                yield from _entries(entry.path)


@cache
def own_code() -> str:
    """Versions and state of the installed code, as they were when this process started."""
    modules = sorted(path for path in PACKAGE_DIR.rglob("*.py") if not _is_task(path))
    state = [
        own_version(),
        *(version_of(library) for library in LIBRARIES),
        *([str(path), *file_stamp(path)] for path in modules),
    ]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def _is_task(path: Path) -> bool:
    """Whether a file belongs to one competition, whose folder has a state of its own."""
    parts = path.relative_to(PACKAGE_DIR).parts
    return parts[0] == "competitions" and len(parts) > 2
