"""``mlebench serve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mlebench.cli.options import (
    CompetitionId,
    CompetitionsDir,
    DataDir,
    EditionName,
    make_registry,
    parse_size,
)
from mlebench.cli.output import echo


def serve(
    competition_id: CompetitionId,
    host: Annotated[
        str, typer.Option("--host", help="The address of this machine to listen at.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port",
            envvar="GRADING_SERVER_PORT",
            min=0,
            max=65535,
            help="The port to listen at; 0 for any that is free.",
        ),
    ] = 5000,
    unix: Annotated[
        Path | None,
        typer.Option("--unix", help="Listen at a unix socket with this path, and at no port."),
    ] = None,
    max_upload_size: Annotated[
        str, typer.Option("--max-upload-size", help="The longest submission that is taken.")
    ] = "2GB",
    data_dir: DataDir = None,
    competitions_dir: CompetitionsDir = None,
    edition: EditionName = "v1",
) -> None:
    """Check submissions to a competition for whoever posts them, without a score."""
    from mlebench.services.alone import Place, serve_alone

    serve_alone(
        make_registry(data_dir, competitions_dir, edition),
        competition_id,
        Place(host, port, unix),
        parse_size(max_upload_size),
        on_open=lambda address: echo(f"Checking submissions to {competition_id} at {address}"),
    )
