"""Looking at the data of many competitions: what is wrong with one hides none of the others."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from pathlib import Path

from mlebench.data.inspecting import Inspection, inspect
from mlebench.data.inventory import Holding, disk_uses, has_files_below, holding, places
from mlebench.data.settling import unreadable
from mlebench.errors import MlebenchError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)


def holdings(registry: Registry, named: Collection[str] | None) -> Iterator[Holding]:
    """What is prepared of competitions, in each edition that they have.

    Args:
        registry: Knows the competitions.
        named: Which ones; by default those that have a folder of data.

    Raises:
        UnknownCompetitionError: One that was named is not there. So do all others here.
    """
    both = _both_editions(registry)
    for name in _with_data(registry, named):
        try:
            editions = _editions(name, *both)
        except MlebenchError as error:
            yield Holding(name, both[0].edition, "unreadable", reason=str(error))
            continue
        for competition in editions:
            found = holding(competition)
            if named or not found.is_nothing:
                yield found


def uses(
    registry: Registry, named: Collection[str] | None
) -> Iterator[tuple[str, dict[str, int], str | None]]:
    """The room that competitions take, as `disk_uses` tells it, or why that cannot be told."""
    both = _both_editions(registry)
    for name in _with_data(registry, named):
        if not named and not has_files_below(registry.get_data_dir() / name):
            continue  # folders that a failed preparation or `remove` left
        try:
            editions = _editions(name, *both)
        except MlebenchError as error:
            yield name, {}, str(error)
            continue
        try:
            yield name, disk_uses(editions), None
        except OSError as error:
            yield name, {}, unreadable(editions[0], error)


def inspections(registry: Registry, named: Collection[str] | None) -> Iterator[Inspection]:
    """Whether data of the registry's edition are as they should be."""
    for name in _with_data(registry, named):
        if not named and registry.edition != "v1" and not registry.has_task(name):
            continue  # in the original's format, which has one edition
        try:
            competition = registry.get_competition(name)
        except MlebenchError as error:
            yield Inspection(name, registry.edition, "unreadable", (str(error),))
            continue
        if named or not holding(competition).is_nothing:
            yield inspect(competition)


def loaded(
    registry: Registry, named: Collection[str]
) -> tuple[list[Competition], list[MlebenchError]]:
    """Competitions, and what is wrong with those that cannot be loaded."""
    competitions: list[Competition] = []
    errors: list[MlebenchError] = []
    registry.require_known(named)
    for name in named:
        try:
            competitions.append(registry.get_competition(name))
        except MlebenchError as error:
            errors.append(error)
    return competitions, errors


def places_of(competitions: Collection[Competition], parts: Collection[str]) -> Iterator[Path]:
    """What is there of these parts, as far as it may be looked at."""
    for competition in competitions:
        try:
            yield from [path for part in parts for path in places(competition, part)]
        except OSError as error:
            logger.info("%s", unreadable(competition, error))


def _both_editions(registry: Registry) -> tuple[Registry, Registry]:
    return registry.set_edition("v1"), registry.set_edition("v2")


def _editions(name: str, first: Registry, second: Registry) -> list[Competition]:
    """A competition in each of its editions; in the original's format it has only one."""
    competition = first.get_competition(name)
    others = [second.get_competition(name)] if competition.task else []
    return [competition, *others]


def _with_data(registry: Registry, named: Collection[str] | None) -> list[str]:
    """Competitions of which something lies in the data folder, or those that were named."""
    if named:
        registry.require_known(named)
        return [*named]
    data = registry.get_data_dir()
    return [name for name in registry.list_known_ids() if (data / name).is_dir()]
