"""``mlebench new-agent``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlebench.cli.options import Json
from mlebench.cli.output import echo, print_json
from mlebench.printable import print_to_stderr, printable

EXAMPLE = "spaceship-titanic"


def new_agent(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits and dashes.")],
    directory: Annotated[Path, typer.Option("--dir", help="Folder of your own agents.")] = Path(
        "agents"
    ),
    original: Annotated[
        bool, typer.Option("--original", help="In the original's format, with a Dockerfile.")
    ] = False,
    requirements: Annotated[
        bool, typer.Option("--requirements", help="With a list of packages that it needs.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Create the folder of a new agent, complete and working."""
    from mlebench.agents.catalog import look_for_agents
    from mlebench.authoring.agent_scaffold import create_agent
    from mlebench.data.folders import written_folder
    from mlebench.registry.suggestions import command
    from mlebench.settings import BUILT_IN_AGENTS_DIR, expanded

    if name in look_for_agents([BUILT_IN_AGENTS_DIR]).agents:
        print_to_stderr(f"note: this one will hide the built-in {name}.")
    parent = expanded(directory)  # as --agents-dir does
    with written_folder(parent, "--dir"):
        folder = create_agent(name, parent, original=original, requirements=requirements)
    if as_json:
        files = sorted(path.name for path in folder.iterdir())
        print_json({"folder": str(folder), "files": files})
        return
    show = command("agents", "show", name, agents_dirs=[parent])
    trial = ("run", "--agent", name, "-c", EXAMPLE, "--sandbox", "process")
    edited = "config.yaml" if original else "agent.yaml"
    echo(
        f"Created {printable(str(folder))}. See what mlebench makes of it:\n"
        f"  {printable(show)}\n"
        f"Try it on made-up data:\n"
        f"  {command('prepare', EXAMPLE, '--fixture')}\n"
        f"  {printable(command(*trial, agents_dirs=[parent]))}\n"
        f"Then edit agent.py and {edited}."
    )
