"""All commands put together."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from mlebench.cli import INTERRUPTED
from mlebench.cli.completing import enable_completion
from mlebench.cli.groups import CommandGroup
from mlebench.cli.loudness import choose_loudness
from mlebench.printable import print_to_stderr

COMMANDS = (
    "quickstart",
    "competitions",
    "prepare",
    "run",
    "validate",
    "serve",
    "grade-sample",
    "grade",
    "report-table",
    "explain",
    "selfcheck",
    "new-competition",
    "new-agent",
    "doctor",
    "completion",
)
GROUPS = ("runs", "agents", "data", "dev")
RESUMED = ("grade", "prepare", "quickstart", "run")


class Commands(CommandGroup):
    """All commands, interrupted with one line."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            with _ended_in_order():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            goes_on = ctx.invoked_subcommand in RESUMED
            hint = "; run the same command to go on" if goes_on else ""
            print_to_stderr(f"interrupted{hint}")
            raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Whoever is told to end clears up first, as after an interrupt."""

    def end(number: int, _: object) -> None:
        sys.exit(128 + number)

    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def build_app(arguments: Sequence[str] = ()) -> typer.Typer:
    """The command line for these arguments.

    Where the first argument names a command, only that one is loaded: the others would
    cost half of the start-up time.
    """
    enable_completion()
    # Plain help: drawing it with rich would double the time `mlebench --help` takes.
    app = typer.Typer(
        name="mlebench",
        cls=Commands,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(common_options)
    named = next((word for word in arguments if not word.startswith("-")), None)
    for name in COMMANDS:
        if named not in (*COMMANDS, *GROUPS) or name == named:
            module = import_module(f"mlebench.cli.{name.replace('-', '_')}")
            own_class = getattr(module, "Command", None)
            app.command(name, cls=own_class)(getattr(module, name.replace("-", "_")))
    for name in GROUPS:
        if named not in COMMANDS:
            app.add_typer(import_module(f"mlebench.cli.{name}").app, name=name)
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from mlebench.cli.output import echo
        from mlebench.versions import own_version

        echo(own_version())
        raise typer.Exit


def common_options(
    context: typer.Context,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log every detail; also after the command.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Log errors only; also after the command.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Measure how well AI agents do machine-learning engineering."""
    from mlebench.cli.logs import set_up_logging

    set_up_logging()
    choose_loudness(context, verbose=verbose, quiet=quiet)
