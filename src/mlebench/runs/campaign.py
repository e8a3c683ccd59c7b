"""From what a user asks for to a run group at work."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlebench.agents.catalog import agent_digest, find_agent
from mlebench.agents.definition import Agent
from mlebench.agents.environments import python_for
from mlebench.data.readiness import require_prepared
from mlebench.data.remedies import source_options
from mlebench.errors import ConfigError, MlebenchError, NotPreparedError
from mlebench.printable import print_to_stderr
from mlebench.registry import Registry
from mlebench.registry.suggestions import command_with
from mlebench.runs.attempt import Assignment
from mlebench.runs.checking import (
    require_cards,
    require_counts,
    require_image,
    require_limits,
    require_processors,
)
from mlebench.runs.conditions import Conditions, hardware_of
from mlebench.runs.executors import Executor, LocalExecutor
from mlebench.runs.group import RunGroup
from mlebench.runs.instructions import instructions
from mlebench.runs.resuming import find_unfinished, tell_of_going_on, tell_of_similar
from mlebench.runs.scheduler import work_off
from mlebench.runs.specification import Specification
from mlebench.runs.state import RunState
from mlebench.runs.work import OnChange, OnLog, Work
from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.layout import (
    INSTRUCTIONS,
    OBFUSCATED_INSTRUCTIONS,
    VALIDATE_SCRIPT,
)
from mlebench.sandbox.room import RoomLimits
from mlebench.services.script import validate_script
from mlebench.services.validation import require_libraries
from mlebench.settings import cache_dir

PRIVILEGED_VARIABLE = "I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS"


NAMED = 5  # competitions in a message


@dataclass(frozen=True)
class Wish:
    """What a user asks for.

    Attributes:
        agent_id: Which agent.
        competitions: Which competitions, in this order.
        seeds: How many attempts at each.
        runs_dir: Where run groups go.
        agents_dirs: Where else agents are.
        sandbox: The kind of room; by default the best there is.
        limits: What a room may use, where that differs from what the agent's facts say.
        workers: How many runs at a time.
        gpus: The graphics cards that may be given to runs.
        is_obfuscated: Whether the agent reads instructions that do not name Kaggle.
        is_graded: Whether grading follows at once.
        begins_anew: Whether a new group is made even if an unfinished one asks for the same.
        container: Further keyword arguments for containers.
        is_retained: Whether containers are only stopped after their end.
        model: The language model behind the agent, if its facts do not say.
        budget_usd: What it may spend on that.
        is_elsewhere: Whether runs go to other machines, which have what this one may lack.
    """

    agent_id: str
    competitions: tuple[str, ...]
    runs_dir: Path
    seeds: int = 1
    agents_dirs: Sequence[Path] = ()
    sandbox: str | None = None
    limits: Mapping[str, Any] = field(default_factory=dict)
    workers: int = 1
    gpus: tuple[int, ...] = ()
    is_obfuscated: bool = False
    is_graded: bool = True
    begins_anew: bool = False
    container: Mapping[str, Any] = field(default_factory=dict)
    is_retained: bool = False
    model: str | None = None
    budget_usd: float | None = None
    is_elsewhere: bool = False


class Campaign:
    """A wish that can be fulfilled: all that could be wrong with it has been looked at."""

    def __init__(self, wish: Wish, registry: Registry) -> None:
        """Look at everything before anything starts.

        Raises:
            ConfigError: Something was asked for that is not there or does not fit, or libraries
                that all runs need are not installed.
            NotPreparedError: Competitions lack data.
            SandboxError: There can be no such rooms here.
        """
        require_counts(wish.seeds, wish.workers, wish.budget_usd)
        require_limits(wish.limits)
        if not wish.competitions:
            raise ConfigError("No competition was chosen.")
        self.wish = wish
        self.registry = registry
        self.agent = find_agent(wish.agent_id, wish.agents_dirs)
        self.sandbox = make_sandbox(wish.sandbox)
        require_libraries()
        self.limits: RoomLimits = replace(self.agent.limits, **wish.limits)
        _refuse_privileged(self.agent)
        if not wish.is_elsewhere:
            self._require_machine()
        self._secrets = dict(os.environ)
        self._command = self.agent.command(self._secrets)
        self._variables = self.agent.variables(self._secrets)
        self._require_data()
        self._refuse_overlaps()
        self.specification = Specification(
            agent_id=self.agent.id,
            agent_digest=agent_digest(self.agent),
            competitions=wish.competitions,
            seeds=wish.seeds,
            edition=registry.edition,
            sandbox=self.sandbox.kind,
            limits=self.limits,
            is_obfuscated=wish.is_obfuscated,
            container=wish.container,
            model=wish.model or self.agent.model,
            budget_usd=wish.budget_usd,
        )

    def _require_machine(self) -> None:
        """Refuse what would be recorded of runs here, but not be there, or lose all of them."""
        require_cards(self.limits.gpus, self.wish.gpus)
        require_processors(self.limits.cpus)
        if self.sandbox.kind == "container":
            require_image(self.agent, self.wish.agents_dirs)

    def _require_data(self) -> None:
        """Refuse all competitions without data at once, not one after the other."""
        lacking: list[tuple[str, MlebenchError]] = []
        for competition_id in self.wish.competitions:
            try:
                competition = self.registry.get_competition(competition_id)
                require_prepared(competition, grading_only=False)
            except NotPreparedError as error:
                lacking.append((competition_id, error))
        if len(lacking) == 1:
            raise lacking[0][1]
        if lacking:
            names = [name for name, _ in lacking]
            raise NotPreparedError(
                f"{len(lacking)} competitions are not prepared{_examples(names)}. Prepare them "
                f"first{self._how_without_login(names)}: {self._prepare_command(names)}"
            )

    def _how_without_login(self, names: Sequence[str]) -> str:
        """What works without one, too, unless raw data of some of them are known."""
        competitions = map(self.registry.get_competition, names)
        if any(source_options(competition) != ["--fixture"] for competition in competitions):
            return ""
        return " (without a login at Kaggle, add --fixture: it makes tiny data up)"

    def _prepare_command(self, names: Sequence[str]) -> str:
        """A command of bearable length that prepares all of these competitions."""
        if len(names) <= NAMED:
            words = [*names]
        elif {*names} <= {*self.registry.get_lite_competition_ids()}:
            words = ["--lite"]
        else:
            words = ["--list", "FILE"]
        told = command_with(self.registry, "prepare", *words)
        return told if words[0] != "--list" else f"{told} (FILE: one id a line)"

    def _refuse_overlaps(self) -> None:
        """Refuse what would bring answers or results of other runs into a room."""
        competitions = [self.registry.get_competition(name) for name in self.wish.competitions]
        hidden = {
            "the data folder": [self.registry.get_data_dir()],
            "private data": [competition.private_dir for competition in competitions],
            "the folder of runs": [self.wish.runs_dir],
        }
        shown = {
            "the agent's folder": [self.agent.folder],
            "public data": [competition.public_dir for competition in competitions],
            "a part of its Python": self._folders_of_python(),
        }
        for outer, folders in shown.items():
            for inner, places in hidden.items():
                for folder, place in itertools.product(folders, places):
                    if place.resolve().is_relative_to(folder.resolve()):
                        raise ConfigError(
                            f"{place}, {inner}, lies in {folder}, {outer}, which rooms show to "
                            "agents. Choose another place with --data-dir or --runs-dir, or move "
                            "the agent."
                        )

    def _folders_of_python(self) -> tuple[Path, ...]:
        """What rooms show of the agent's Python, which is built if need be."""
        if self.sandbox.kind == "container":
            return ()  # the image has one
        python = python_for(self.agent, agents_cache())
        return python.folders if self.sandbox.kind == "bwrap" else ()

    @property
    def conditions(self) -> Conditions:
        """What was allowed and given."""
        limits = self.limits
        if limits.gpus < 0 and not self.wish.is_elsewhere:
            limits = replace(limits, gpus=len(self.wish.gpus))
        return Conditions(
            sandbox=self.sandbox.kind,
            hours=None if math.isinf(limits.seconds) else round(limits.seconds / 3600, 4),
            hardware=hardware_of(limits, is_elsewhere=self.wish.is_elsewhere),
            network="open" if self.sandbox.kind == "process" else "closed",
            edition=self.registry.edition,
            model=self.specification.model,
            budget_usd=self.wish.budget_usd,
            description="obfuscated" if self.wish.is_obfuscated else "original",
        )

    def open_group(self) -> RunGroup:
        """The unfinished group that asks for the same, or a new one."""
        if not self.wish.begins_anew:
            known, is_graded = (self.wish.runs_dir, self.specification), self.wish.is_graded
            if found := find_unfinished(*known, is_graded=is_graded):
                tell_of_going_on(found)
                return found
            tell_of_similar(*known, is_graded=is_graded)
        return self.begin_group()

    def begin_group(self, more: Mapping[str, Any] | None = None) -> RunGroup:
        """A new group, of which further facts may be known."""
        facts = {"conditions": self.conditions.to_dict(), "agent_name": self.agent.name}
        facts |= more or {}
        return RunGroup.create(self.wish.runs_dir, self.agent.name, self.specification, facts)

    def run(
        self,
        group: RunGroup,
        on_change: OnChange,
        executor: Executor | None = None,
        *,
        on_log: OnLog = print_to_stderr,
    ) -> None:
        """Do what is left of a group."""
        executor = executor or LocalExecutor(self.wish.workers, agents_cache(), self.wish.gpus)
        work = Work(group, self.registry, executor, self.assignment, on_change, on_log)
        facts = {"agent": self.agent.id, "conditions": group.state.fact("conditions")}
        try:
            work_off(work, is_graded=self.wish.is_graded, facts=facts)
        finally:
            executor.close()

    def assignment(self, run: RunState) -> Assignment:
        """What is to be done in a run.

        Raises:
            ConfigError: The agent is no longer the one that the group is about.
        """
        self._refuse_another_agent()
        limits = self.limits
        environment = {
            "COMPETITION_ID": run.competition_id,
            "SEED": str(run.seed),
            "OBFUSCATE": "true" if self.wish.is_obfuscated else "false",
            # Or what an agent has printed would be lost with it.
            "PYTHONUNBUFFERED": "1",
        }
        if not math.isinf(limits.seconds):
            environment["TIME_LIMIT_SECS"] = str(int(limits.seconds))
        if limits.memory is not None:
            environment["MEMORY_LIMIT_BYTES"] = str(limits.memory)
        if limits.cpus is not None:
            environment["CPU_LIMIT"] = f"{limits.cpus:g}"
        competition = self.registry.get_competition(run.competition_id)
        bundled = competition.facts.bundled
        return Assignment(
            run_id=run.run_id,
            agent=self.agent,
            data=competition.public_dir,
            sandbox=self.sandbox.kind,
            limits=limits,
            environment=environment | self._variables,
            command=self._command,
            texts={
                INSTRUCTIONS: instructions(obfuscated=self.wish.is_obfuscated),
                OBFUSCATED_INSTRUCTIONS: instructions(obfuscated=True),
                VALIDATE_SCRIPT: validate_script(),
            },
            hidden=bundled.also_in if bundled else (),
            container=self.wish.container,
            is_retained=self.wish.is_retained,
        )

    def _refuse_another_agent(self) -> None:
        """Refuse files that were edited meanwhile: the record names those that were there first."""
        if agent_digest(self.agent) != self.specification.agent_digest:
            raise ConfigError(
                f"{self.agent.folder} was changed since this command began, so {self.agent.id} is "
                "another agent by now. Put it back and give the command again to go on, or give "
                "the command as it is to begin a new group."
            )


def agents_cache() -> Path:
    """Where Python environments of agents are kept."""
    return cache_dir()


def _refuse_privileged(agent: Agent) -> None:
    accepted = os.environ.get(PRIVILEGED_VARIABLE, "").lower() in ("true", "1", "t")
    if agent.privileged and not accepted:
        raise ConfigError(
            f"{agent.id} wants a container with all rights of this machine. If you accept that: "
            f"export {PRIVILEGED_VARIABLE}=true"
        )


def _examples(names: Sequence[str]) -> str:
    """The first of many names, to follow a statement about all of them."""
    return f", such as {', '.join(names[:NAMED])}" if len(names) > NAMED else ""
