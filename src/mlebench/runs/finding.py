"""Run groups and runs by what people call them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from mlebench.errors import ConfigError, DamagedStateError
from mlebench.runs.group import RunGroup, group_folders, is_group, warn_of_damage
from mlebench.runs.state import RunState
from mlebench.settings import RUNS_DIR_VARIABLE

LATEST = "latest"
NAMED = 5  # runs in a message


def open_group(runs_dir: Path, name: str | Path) -> RunGroup:
    """A group by its name, its folder, or ``latest``.

    Raises:
        ConfigError: There is none.
        DamagedStateError: There is, but its state is gone or cannot be used.
    """
    if str(name) == LATEST:
        return _latest(runs_dir)
    for folder in (runs_dir / name, Path(name)):
        if is_group(folder):
            return RunGroup(folder.resolve())
    if groups := _groups_with_runs(runs_dir, str(name)):
        word = word_for(groups[-1], runs_dir)
        raise ConfigError(
            f"{name} is no group, but names a run, whose group comes first, as in: "
            f"mlebench runs logs {shlex.quote(word)} {name}"
        )
    raise ConfigError(
        f"There is no run group {str(name)!r} in {runs_dir}; `mlebench runs list` shows them. "
        f"{where_else()}"
    )


def _latest(runs_dir: Path) -> RunGroup:
    damage = None
    for folder in reversed([*group_folders(runs_dir)]):
        try:
            return RunGroup(folder)
        except DamagedStateError as error:
            warn_of_damage(error)
            damage = error
    raise damage or ConfigError(f"There are no run groups in {runs_dir}. {where_else()}")


def where_else() -> str:
    """What to do if groups are in another folder than the one that was looked into."""
    return f"Those in another folder are found with --runs-dir or {RUNS_DIR_VARIABLE}."


def _groups_with_runs(runs_dir: Path, beginning: str) -> list[Path]:
    """The folders of groups that have runs whose ids begin like this, the oldest first."""
    folders = []
    for folder in group_folders(runs_dir):
        try:
            group = RunGroup(folder)
        except DamagedStateError:
            continue  # whoever lists the groups is told
        if beginning and any(run.run_id.startswith(beginning) for run in group.state.runs()):
            folders.append(folder)
        group.state.close()
    return folders


def word_for(group_folder: Path, runs_dir: Path) -> str:
    """What to type for a group in commands: ``latest`` where that is the one, else its folder."""
    folders = [*group_folders(runs_dir)]
    is_latest = bool(folders) and folders[-1].resolve() == group_folder.resolve()
    return LATEST if is_latest else str(group_folder)


def find_runs(group: RunGroup, names: Sequence[str]) -> list[RunState]:
    """The runs of these names: ids, their beginnings, or competitions with a single run.

    Raises:
        ConfigError: One of them is no run's, or that of several.
    """
    runs = group.state.runs()
    return [_find_run(group, runs, name) for name in names]


def find_all(group: RunGroup, names: Sequence[str]) -> list[RunState]:
    """The same, but for competitions, which stand for all of their runs."""
    runs = group.state.runs()
    found: dict[str, RunState] = {}
    for name in names:
        several = [run for run in runs if run.competition_id == name]
        found |= {run.run_id: run for run in several or [_find_run(group, runs, name)]}
    return [*found.values()]


def _find_run(group: RunGroup, runs: Sequence[RunState], name: str) -> RunState:
    found = [run for run in runs if run.run_id == name]
    found = found or [run for run in runs if run.competition_id == name]
    found = found or [run for run in runs if name and run.run_id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ConfigError(
            f"There is no run {name!r} in {group.folder}; `mlebench runs status --wide` shows them."
        )
    some = ", ".join(f"{run.run_id} (seed {run.seed})" for run in found[:NAMED])
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    raise ConfigError(f"{name!r} may be any of {len(found)} runs: {some}{more}.")
