"""What a verdict depends on, as one word: whoever changes any of it gets another one."""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from mlebench.grading.answers import file_stamp
from mlebench.registry.competition import LEADERBOARD_FILE, Competition
from mlebench.settings import PACKAGE_DIR, own_version

# Whose versions may decide about a score.
LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "shapely")


def verdict_key(submission_sha256: str, competition: Competition) -> str:
    """The submission, the answers, the leaderboard, the code and the edition, condensed."""
    state: list[Any] = [
        submission_sha256,
        competition.id,
        competition.edition,
        own_code(),
        folder_state(competition.folder, competition.data_dir),
        file_stamp(competition.answers),
    ]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()


def folder_state(folder: Path, data: Path) -> list[list[Any]]:
    """Which files a competition has, and which version of them, as far as grading uses them."""
    state: list[list[Any]] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        paths = (Path(place, name) for name in names)
        state += [[str(path), *file_stamp(path)] for path in paths if path.is_file()]
    leaderboard = data / LEADERBOARD_FILE
    if leaderboard.is_file():
        state.append([str(leaderboard), *file_stamp(leaderboard)])
    return sorted(state)


@cache
def own_code() -> str:
    """Versions and state of the installed code, as they were when this process started."""
    modules = sorted(path for path in PACKAGE_DIR.rglob("*.py") if "competitions" not in path.parts)
    state = [own_version(), *([str(path), *file_stamp(path)] for path in modules)]
    return hashlib.sha256(json.dumps(state).encode()).hexdigest()
