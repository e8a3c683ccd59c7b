"""How much is logged: ``--quiet`` and ``--verbose``, before the command or after it."""

from __future__ import annotations

import logging
from typing import Any

import typer
from typer.core import TyperGroup, TyperOption

LEVELS = {"verbose": logging.DEBUG, "quiet": logging.ERROR}
_KEY = f"{__name__}.chosen"


class LoudnessGroup(TyperGroup):
    """Commands that understand these options, too; their help names them once, at the top."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and not any(option.name in LEVELS for option in command.params):
            command.params += [
                TyperOption(
                    param_decls=[f"--{name}", f"-{name[0]}"],
                    is_flag=True,
                    hidden=True,
                    expose_value=False,
                    callback=_choose,
                )
                for name in LEVELS
            ]
        return command


def _choose(context: Any, option: Any, wanted: bool) -> None:
    choose_loudness(context, **{option.name: wanted})


def choose_loudness(context: typer.Context, *, verbose: bool = False, quiet: bool = False) -> None:
    """Log as much as these options say, wherever in the command they stood."""
    chosen: set[str] = context.meta.setdefault(_KEY, set())
    chosen.update(name for name, is_on in (("verbose", verbose), ("quiet", quiet)) if is_on)
    if len(chosen) > 1:
        raise typer.BadParameter("--quiet and --verbose exclude each other.")
    logging.getLogger().setLevel(LEVELS[min(chosen)] if chosen else logging.INFO)
