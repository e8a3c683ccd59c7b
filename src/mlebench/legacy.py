"""Competition folders in the original's format, loaded unchanged.

Such a folder holds ``config.yaml`` with dotted import strings, ``prepare.py``, ``grade.py``,
``description.md`` and usually ``leaderboard.csv`` and ``checksums.yaml``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from mlebench.competition import LEADERBOARD_FILE, Competition
from mlebench.errors import ConfigError
from mlebench.facts import Facts, load_yaml
from mlebench.grade_helpers import Grader

CONFIG_FILE = "config.yaml"


class _Dataset(msgspec.Struct):
    answers: str
    sample_submission: str
    gold_submission: str | None = None


class _Grader(msgspec.Struct):
    name: str
    grade_fn: str


class _Config(msgspec.Struct):
    id: str
    name: str
    competition_type: str
    dataset: _Dataset
    grader: _Grader
    preparer: str
    description: str = "description.md"
    awards_medals: bool = False


def load_legacy_competition(folder: Path, data_dir: Path) -> Competition:
    """A competition from a folder in the original's format."""
    config = _load_config(folder)
    data = data_dir / config.id
    description = folder / Path(config.description).name
    board = next(
        (path for path in (data / LEADERBOARD_FILE, folder / LEADERBOARD_FILE) if path.is_file()),
        None,
    )
    return Competition(
        id=config.id,
        name=config.name,
        description=description.read_text(encoding="utf-8") if description.is_file() else "",
        grader=Grader(config.grader.name, _deferred(folder, config.grader.grade_fn)),
        answers=data_dir / config.dataset.answers,
        gold_submission=data_dir / (config.dataset.gold_submission or config.dataset.answers),
        sample_submission=data_dir / config.dataset.sample_submission,
        competition_type=config.competition_type,
        prepare_fn=_deferred(folder, config.preparer),
        raw_dir=data / "raw",
        private_dir=data / "prepared" / "private",
        public_dir=data / "prepared" / "public",
        checksums=folder / "checksums.yaml",
        facts=load_legacy_facts(folder),
        folder=folder,
        leaderboard=board,  # type: ignore[arg-type]
    )


def load_legacy_facts(folder: Path) -> Facts:
    """The facts a legacy config states; direction and medals are in its leaderboard."""
    config = _load_config(folder)
    return Facts(
        id=config.id,
        title=config.name,
        metric=config.grader.name,
        lower_is_better=_direction(folder / LEADERBOARD_FILE),
        answers=_below_prepared(config.dataset.answers),
        sample_submission=_below_prepared(config.dataset.sample_submission),
        competition_type="code" if config.competition_type == "code" else "simple",
        awards_medals=config.awards_medals,
    )


def _load_config(folder: Path) -> _Config:
    path = folder / CONFIG_FILE
    try:
        return msgspec.convert(load_yaml(path), _Config)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from error


def _below_prepared(path: str) -> str:
    return path.partition("/prepared/")[2] or path


def _direction(leaderboard: Path) -> bool:
    """Lower is better if the first score is below the last; False without a list."""
    if not leaderboard.is_file():
        return False
    from mlebench.leaderboard import Leaderboard

    return Leaderboard.from_csv(leaderboard).lower_is_better


def _deferred(folder: Path, import_string: str) -> Callable[..., Any]:
    """A function that imports the real one when it is called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return import_from_folder(folder, import_string)(*args, **kwargs)

    return call


def import_from_folder(folder: Path, import_string: str) -> Callable[..., Any]:
    """Resolve ``package.module:function``, looking for the module in ``folder`` first.

    The package in the string names a place in the original's source tree. We give it the
    folder as its path, so that modules of one folder also find each other.
    """
    module_name, _, function = import_string.partition(":")
    package, _, stem = module_name.rpartition(".")
    if (folder / f"{stem}.py").is_file() and package:
        _adopt_package(package, folder)
    try:
        return getattr(importlib.import_module(module_name), function)  # type: ignore[no-any-return]
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"{folder}: cannot import {import_string!r}: {error}") from error


def _adopt_package(name: str, folder: Path) -> None:
    known = sys.modules.get(name)
    if known is not None and list(getattr(known, "__path__", ())) == [str(folder)]:
        return
    for module in [module for module in sys.modules if module.startswith(name + ".")]:
        del sys.modules[module]
    parent = name.rpartition(".")[0]
    if parent:
        try:
            importlib.import_module(parent)
        except ImportError:
            _adopt_package(parent, folder.parent)
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    sys.modules[name] = package
