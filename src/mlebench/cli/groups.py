"""Groups of commands, whose help is whole: no summary is cut, no word broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer

from mlebench.cli.loudness import LoudnessGroup


class HelpContext(typer.Context):
    """Writes help whose words stay whole on narrow terminals, too."""

    def make_formatter(self) -> Any:
        """What help is written with."""
        formatter: Any = super().make_formatter()
        formatter.write_dl = partial(_write_whole_words, formatter, formatter.write_dl)
        return formatter


class CommandGroup(LoudnessGroup):
    """Commands that are listed each with its whole summary."""

    context_class = HelpContext

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.context_class = HelpContext
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands; by default long summaries are cut."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, (command.help or "").partition("\n\n")[0])
                    for name, command in commands
                    if command is not None
                ]
            )


def _write_whole_words(
    formatter: Any,
    write_dl: Callable[..., None],
    rows: Sequence[tuple[str, str]],
    col_max: int = 30,
    col_spacing: int = 2,
) -> None:
    """Write names and what they mean, the names in a column that leaves room for any word."""
    longest = max((len(word) for _, text in rows for word in text.split()), default=0)
    room = formatter.width - formatter.current_indent - col_spacing - longest
    write_dl(rows, max(min(col_max, room), 0), col_spacing)
