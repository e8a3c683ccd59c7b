"""Whether a command goes on with a group that was begun before, or begins a new one."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mlebench.errors import DamagedStateError
from mlebench.runs.group import IS_CONCLUDED, RunGroup, groups_in, warn_of_damage
from mlebench.runs.specification import Specification

logger = logging.getLogger(__name__)

LOOKED_AT = ("digest", "specification", IS_CONCLUDED)


def find_unfinished(
    runs_dir: Path, specification: Specification, *, is_graded: bool = True
) -> RunGroup | None:
    """The youngest group that was begun by the same command and is not finished.

    Args:
        runs_dir: Where groups are.
        specification: What the command asks for.
        is_graded: Whether runs are finished only when they are graded.
    """
    for group, facts in _unfinished(runs_dir, is_graded=is_graded):
        if facts["digest"] == specification.digest:
            return group
    return None


def tell_of_going_on(group: RunGroup) -> None:
    """Say that runs of a group are not begun anew."""
    runs = group.state.runs()
    done = sum(run.is_final for run in runs)
    logger.info("Going on with %s: %d of %d runs are done.", group.name, done, len(runs))


def tell_of_similar(
    runs_dir: Path, specification: Specification, *, is_graded: bool = True
) -> None:
    """Say why the youngest unfinished group of the agent's is not gone on with, if there is one."""
    for group, facts in _unfinished(runs_dir, is_graded=is_graded):
        begun = facts["specification"] or {}
        shared = {*begun.get("competitions", ())} & {*specification.competitions}
        if begun.get("agent_id") == specification.agent_id and shared:
            group.state.close()
            logger.info(
                "%s is unfinished, but was begun with %s: a new group is begun.",
                group.name, " and ".join(specification.differences(begun)),
            )  # fmt: skip
            return


def _unfinished(runs_dir: Path, *, is_graded: bool) -> Iterator[tuple[RunGroup, dict[str, Any]]]:
    """Groups with something left to be done, the youngest first; open only while looked at."""
    for group, facts, is_left in looked_at(runs_dir, is_graded=is_graded):
        if is_left:
            yield group, facts


def looked_at(
    runs_dir: Path, more: Sequence[str] = (), *, is_graded: bool = True
) -> Iterator[tuple[RunGroup, dict[str, Any], bool]]:
    """All groups with facts about them, and whether something is left to be done.

    The youngest is the first; each is open only while it is looked at.

    Args:
        runs_dir: Where groups are.
        more: Facts to look at beside the usual ones.
        is_graded: Whether runs are finished only when they are graded.
    """
    for group in reversed([*groups_in(runs_dir)]):
        try:
            facts = {name: group.state.fact(name) for name in (*LOOKED_AT, *more)}
            runs = group.state.runs()
        except DamagedStateError as error:
            warn_of_damage(error)
        else:
            is_left = any(not run.is_final and (is_graded or run.status != "ended") for run in runs)
            yield group, facts, is_left or facts[IS_CONCLUDED] is False
        group.state.close()
