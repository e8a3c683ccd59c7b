"""``mlebench agents``: which there are, what they need, and making that."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlebench.cli.groups import CommandGroup
from mlebench.cli.options import AgentId, AgentsDir, Json, Wide
from mlebench.cli.output import echo, print_facts, print_json, print_table
from mlebench.cli.tables import Cell, Column
from mlebench.printable import print_to_stderr, printable, printable_lines

if TYPE_CHECKING:
    from mlebench.agents.definition import Agent

app = typer.Typer(
    cls=CommandGroup,
    help="See which agents there are, and make what they need.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

COLUMNS = (
    Column("agent"),
    Column("start", rank=1),
    Column("needs", rank=2, wraps=True),
    Column("where", rank=3),
)


@app.command("list")
def list_(wide: Wide = False, as_json: Json = False, agents_dir: AgentsDir = None) -> None:
    """List all agents: those that come with mlebench, then your own."""
    from mlebench.agents.catalog import look_for_agents

    agents, broken = look_for_agents(agents_dir or ())
    for name, error in broken.items():
        print_to_stderr(printable_lines(f"warning: {name} is left out: {error}"))
    chosen = [agents[name] for name in sorted(agents)]
    if as_json:
        print_json([_as_json(agent) for agent in chosen])
        return
    print_table(
        COLUMNS,
        [
            [agent.id, " ".join(agent.start), ", ".join(agent.needs) or None, _where(agent)]
            for agent in chosen
        ],
        wide=wide,
    )


@app.command("show")
def show(agent_id: AgentId, as_json: Json = False, agents_dir: AgentsDir = None) -> None:
    """Show all that is known about an agent."""
    from mlebench.agents.catalog import agent_digest, find_agent
    from mlebench.quantities import size_in_words, time_in_words

    agent = find_agent(agent_id, agents_dir or ())
    digest = agent_digest(agent)
    if as_json:
        print_json(_as_json(agent) | {"digest": digest})
        return
    limits = agent.limits
    shown: list[tuple[str, Cell]] = [
        ("agent", agent.id),
        ("description", agent.description or None),
        ("start", " ".join(agent.start)),
        *(("option", f"{name}: {value}") for name, value in agent.options.items()),
        *(("variable", f"{name}: {value}") for name, value in agent.environment.items()),
        *(("secret", f"{name} {_is_set(name)}") for name in agent.secrets),
        ("Python", agent.python),
        ("image", agent.image),
        ("privileged", agent.privileged),
        ("model", agent.model),
        ("time", time_in_words(limits.seconds)),
        ("memory", size_in_words(limits.memory) if limits.memory else None),
        ("CPUs", limits.cpus),
        ("GPUs", limits.gpus),
        ("processes", limits.processes),
        ("disk", size_in_words(limits.disk) if limits.disk else None),
        ("digest", digest),
        ("where", str(agent.folder)),
    ]
    print_facts(shown)


@app.command("build")
def build(
    agent_id: AgentId,
    image: Annotated[
        bool, typer.Option("--image", help="The container image, too, from its Dockerfile.")
    ] = False,
    as_json: Json = False,
    agents_dir: AgentsDir = None,
) -> None:
    """Make what an agent needs before it first runs: its Python and, if asked, its image."""
    from mlebench.agents.building import image_plan
    from mlebench.agents.catalog import find_agent
    from mlebench.agents.environments import python_for
    from mlebench.settings import cache_dir

    def tell(line: str) -> None:
        print_to_stderr(printable(line))

    agent = find_agent(agent_id, agents_dir or ())
    plan = image_plan(agent) if image else None  # refused before anything is made
    home = python_for(agent, cache_dir(), tell)
    if plan:
        # Loaded by its name, since only who builds images needs the library behind it.
        images = import_module("mlebench.sandbox.images")
        images.build_image(plan.folder, plan.tag, plan.build_args, say=tell)
    if as_json:
        tag = plan.tag if plan else None
        print_json({"agent": agent.id, "python": str(home.executables / "python"), "image": tag})
        return
    echo(printable(f"Python: {home.executables / 'python'}"))
    if plan:
        echo(printable(f"Image: {plan.tag}"))


def _as_json(agent: Agent) -> dict[str, Any]:
    from dataclasses import asdict

    facts = asdict(agent)
    places = {
        "folder": str(agent.folder),
        "dockerfile": str(agent.dockerfile) if agent.dockerfile else None,
    }
    return facts | places | {"secrets": agent.secrets}


def _where(agent: Agent) -> str:
    from mlebench.settings import BUILT_IN_AGENTS_DIR

    return "built in" if agent.folder.parent == BUILT_IN_AGENTS_DIR else _short(agent.folder)


def _short(folder: Path) -> str:
    """A path as it can be typed here."""
    here = Path.cwd()
    return str(folder.relative_to(here)) if folder.is_relative_to(here) else str(folder)


def _is_set(name: str) -> str:
    return "(set)" if name in os.environ else "(not set)"
