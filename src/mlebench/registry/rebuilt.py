"""The csv of a leaderboard that was rebuilt from published figures.

Programs read `Competition.leaderboard` as a file, so one is written when somebody looks at
it: into the cache, or where that cannot be written into a folder that goes with the process.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

import msgspec

from mlebench.errors import ConfigError
from mlebench.registry.facts import FACTS_FILE, Facts, LeaderboardFacts
from mlebench.registry.leaderboard import Leaderboard
from mlebench.settings import cache_dir
from mlebench.writing import written_whole

SUFFIX = ".rebuilt.csv"

logger = logging.getLogger(__name__)


def rebuilt_leaderboard(facts: Facts, figures: LeaderboardFacts) -> Leaderboard:
    """The list that the published figures tell.

    Raises:
        ConfigError: They are no figures of a leaderboard.
    """
    try:
        return Leaderboard.from_facts(figures, facts.lower_is_better)
    except ConfigError as error:
        raise ConfigError(f"{FACTS_FILE} of {facts.id}: {error}") from error


def rebuilt_csv(facts: Facts, figures: LeaderboardFacts) -> Path:
    """The file with the rebuilt list, written if it is not there yet."""
    name = _file_name(facts, figures)
    board = rebuilt_leaderboard(facts, figures)
    try:
        return _written(cache_dir() / "leaderboards" / name, board)
    except OSError as error:
        logger.debug("The cache cannot be used for leaderboards: %s", error)
        return _written(_own_folder() / name, board)


def is_rebuilt_csv(path: Path, facts: Facts) -> bool:
    """Whether this is the file that `rebuilt_csv` writes for these facts, wherever it lies."""
    figures = facts.leaderboard
    return path.name.endswith(SUFFIX) and (
        figures is not None and path.name == _file_name(facts, figures)
    )


def _file_name(facts: Facts, figures: LeaderboardFacts) -> str:
    """A name that changes with the figures, so that no old list is taken for a new one."""
    told = msgspec.json.encode((figures, facts.lower_is_better))
    digest = hashlib.md5(told, usedforsecurity=False).hexdigest()[:8]
    return f"{facts.id}.{digest}{SUFFIX}"


def _written(path: Path, board: Leaderboard) -> Path:
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as partial:
            board.to_frame().to_csv(partial, index=False)
    return path


def _own_folder() -> Path:
    return _folder_of_process(os.getpid())


@cache
def _folder_of_process(process: int) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="mlebench-"))

    def remove() -> None:
        if os.getpid() == process:  # a forked child must not take its parent's files away
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
