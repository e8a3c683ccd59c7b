"""Run groups that one command makes one after the other, and goes on with as one.

As long as one of them is not finished, the command takes those that are as they are.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.runs.campaign import Campaign
from mlebench.runs.group import BEGUN_BY, RunGroup
from mlebench.runs.resuming import looked_at, tell_of_going_on

SERIES = "series"
"""The fact that tells to which series a group belongs, and what that asks for."""


@dataclass(frozen=True)
class Found:
    """A group of a series, as it was found.

    Attributes:
        folder: Of the group.
        fact: What it says of its series.
        digest: Of what the group is to do.
        is_left: Whether something is left to be done.
    """

    folder: Path
    fact: dict[str, Any]
    digest: str
    is_left: bool


class Series:
    """The groups of several campaigns: those of an unfinished series, and new ones."""

    def __init__(self, runs_dir: Path, command: str, several: Sequence[Campaign]) -> None:
        """Look for the youngest series that asks for the same and is not finished.

        Args:
            runs_dir: Where groups are.
            command: Makes the series, and goes on with it.
            several: What the groups are to do, in their order.
        """
        self._command = command
        self._digests = [campaign.specification.digest for campaign in several]
        found = _unfinished(runs_dir, self._digests)
        self._id = found[0].fact["id"] if found else uuid.uuid4().hex
        self._folders = {one.digest: one.folder for one in found}

    def open_group(self, campaign: Campaign) -> RunGroup:
        """The group of one of the campaigns, which may be finished, or a new one."""
        if folder := self._folders.get(campaign.specification.digest):
            group = RunGroup(folder)
            tell_of_going_on(group)
            return group
        return campaign.begin_group(
            {BEGUN_BY: self._command, SERIES: {"id": self._id, "digests": self._digests}}
        )


def _unfinished(runs_dir: Path, digests: Sequence[str]) -> list[Found]:
    """The groups of the youngest series that was to do this and has not done all of it."""
    several: dict[str, list[Found]] = {}
    for found in _groups_of_series(runs_dir):
        if found.fact["digests"] == [*digests]:
            several.setdefault(found.fact["id"], []).append(found)
    for groups in several.values():
        # The last one is begun last: without it, the series was cut off before.
        is_begun = any(group.digest == digests[-1] for group in groups)
        if not is_begun or any(group.is_left for group in groups):
            return groups
    return []


def _groups_of_series(runs_dir: Path) -> Iterator[Found]:
    """All groups that belong to a series, the youngest first."""
    for group, facts, is_left in looked_at(runs_dir, (SERIES,)):
        if facts[SERIES]:
            yield Found(group.folder, facts[SERIES], facts["digest"], is_left)
