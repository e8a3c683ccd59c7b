"""Where things are, from the environment and the platform's conventions."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE_DIR = Path(__file__).resolve().parent
BUILT_IN_DIR = PACKAGE_DIR / "competitions"
BUILT_IN_AGENTS_DIR = PACKAGE_DIR / "agents"

DATA_DIR_VARIABLES = ("MLEBENCH_DATA_DIR", "MLE_BENCH_DATA_DIR")
COMPETITIONS_DIR_VARIABLE = "MLEBENCH_COMPETITIONS_DIR"
AGENTS_DIR_VARIABLE = "MLEBENCH_AGENTS_DIR"
EDITION_VARIABLE = "MLEBENCH_EDITION"
RUNS_DIR_VARIABLE = "MLEBENCH_RUNS_DIR"

LOG_FORMAT = "[%(asctime)s] [%(filename)s:%(lineno)d] %(message)s"


def cache_dir() -> Path:
    """The folder that belongs to mlebench in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench"


def default_data_dir() -> Path:
    """Where competition data live unless the caller says otherwise."""
    for variable in DATA_DIR_VARIABLES:
        if value := os.environ.get(variable):
            return Path(value).expanduser().resolve()
    return (cache_dir() / "data").resolve()


def user_competitions_dirs() -> tuple[Path, ...]:
    """Folders of the user's own competitions, listed like PATH."""
    return _listed_folders(COMPETITIONS_DIR_VARIABLE)


def user_agents_dirs() -> tuple[Path, ...]:
    """Folders of the user's own agents, listed like PATH."""
    return _listed_folders(AGENTS_DIR_VARIABLE)


def _listed_folders(variable: str) -> tuple[Path, ...]:
    value = os.environ.get(variable, "")
    return tuple(Path(part).expanduser().resolve() for part in value.split(os.pathsep) if part)
