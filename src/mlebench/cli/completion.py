"""``mlebench completion``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from mlebench.cli.completing import VARIABLE


class Shell(StrEnum):
    """The shells there is a script for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="Your shell.")]) -> None:
    """Print the script that lets your shell complete commands, options and competitions."""
    from typer._completion_shared import get_completion_script

    typer.echo(get_completion_script(prog_name="mlebench", complete_var=VARIABLE, shell=shell))
