"""All commands put together."""

from __future__ import annotations

from typing import Annotated

import typer

from mlebench.cli import (
    competitions,
    dev,
    doctor,
    grade,
    grade_sample,
    new_competition,
    prepare,
    selfcheck,
    validate,
)

# Plain help: drawing it with rich would double the time `mlebench --help` takes.
app = typer.Typer(
    name="mlebench",
    help="Measure how well AI agents do machine-learning engineering.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def main(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log every detail.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log errors only.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Measure how well AI agents do machine-learning engineering."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(installed("mlebench"))
        raise typer.Exit
    import logging

    from mlebench.utils import LOG_FORMAT

    level = logging.DEBUG if verbose else logging.ERROR if quiet else logging.INFO
    logging.basicConfig(level=level, format=LOG_FORMAT)


app.command("competitions")(competitions.competitions)
app.command("prepare")(prepare.prepare)
app.command("validate")(validate.validate)
app.command("grade-sample")(grade_sample.grade_sample)
app.command("grade")(grade.grade)
app.command("selfcheck")(selfcheck.selfcheck)
app.command("new-competition")(new_competition.new_competition)
app.command("doctor")(doctor.doctor)
app.add_typer(dev.app, name="dev")
