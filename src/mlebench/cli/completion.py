"""``mlebench completion``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from mlebench.cli.completing import VARIABLE
from mlebench.cli.output import echo


class Shell(StrEnum):
    """The shells there is a script for."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


def completion(shell: Annotated[Shell, typer.Argument(help="Your shell.")]) -> None:
    """Print the script that lets your shell complete commands, options and competitions."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    echo(get_completion_script(prog_name="mlebench", complete_var=VARIABLE, shell=shell))
