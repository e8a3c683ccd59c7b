"""Where things are, from the environment and the platform's conventions."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from mlebench.errors import ConfigError

PACKAGE_DIR = Path(__file__).resolve().parent
BUILT_IN_DIR = PACKAGE_DIR / "competitions"
BUILT_IN_AGENTS_DIR = PACKAGE_DIR / "agents"

DATA_DIR_VARIABLES = ("MLEBENCH_DATA_DIR", "MLE_BENCH_DATA_DIR")
COMPETITIONS_DIR_VARIABLE = "MLEBENCH_COMPETITIONS_DIR"
AGENTS_DIR_VARIABLE = "MLEBENCH_AGENTS_DIR"
EDITION_VARIABLE = "MLEBENCH_EDITION"
RUNS_DIR_VARIABLE = "MLEBENCH_RUNS_DIR"

LOG_FORMAT = "[%(asctime)s] %(message)s"
DETAILED_LOG_FORMAT = "[%(asctime)s] [%(filename)s:%(lineno)d] %(message)s"


def log_format(level: int) -> str:
    """How lines are logged: with their places in the code where every detail is wanted."""
    return DETAILED_LOG_FORMAT if level <= logging.DEBUG else LOG_FORMAT


def expanded(path: Path | str) -> Path:
    """A path as somebody wrote it, with the home folder that a leading ``~`` stands for.

    Raises:
        ConfigError: There is no such home.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        user = Path(path).parts[0]
        raise ConfigError(
            f"It is not known which home folder {user} stands for: write {path} in full."
        ) from error


def resolved(path: Path | str) -> Path:
    """The same as an absolute path that holds no links."""
    return Path(os.path.realpath(expanded(path)))  # unlike Path, it bears links in circles


def cache_dir() -> Path:
    """The folder that belongs to mlebench in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench"


def default_data_dir() -> Path:
    """Where competition data live unless the caller says otherwise."""
    for variable in DATA_DIR_VARIABLES:
        if value := os.environ.get(variable):
            return resolved(value)
    return resolved(cache_dir() / "data")


def user_competitions_dirs() -> tuple[Path, ...]:
    """Folders of the user's own competitions, listed like PATH."""
    return _listed_folders(COMPETITIONS_DIR_VARIABLE)


def user_agents_dirs() -> tuple[Path, ...]:
    """Folders of the user's own agents, listed like PATH."""
    return _listed_folders(AGENTS_DIR_VARIABLE)


def _listed_folders(variable: str) -> tuple[Path, ...]:
    value = os.environ.get(variable, "")
    return tuple(resolved(part) for part in value.split(os.pathsep) if part)
