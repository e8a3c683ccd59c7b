"""The container engine of this machine: where it answers, and its failures in our words."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import SandboxError, shortened

if TYPE_CHECKING:
    from docker import DockerClient

HOST_VARIABLE = "DOCKER_HOST"
ANSWER_SECONDS = 120.0
"""How long one answer of the engine's may take; a machine under load makes it slow."""

KNOCK_SECONDS = 10.0

MISSING_LIBRARY = (
    "The Python library for containers is not installed; "
    "pip install 'mlebench[containers]' brings it."
)
NO_ENGINE = (
    "No container engine was found. Start Docker, or Podman with "
    f"`systemctl --user start podman.socket`, or say in {HOST_VARIABLE} where one answers."
)


def usual_sockets() -> list[Path]:
    """Where engines listen unless they are told otherwise, the likeliest first."""
    places = [Path("/var/run/docker.sock"), Path("/run/podman/podman.sock")]
    if own := os.environ.get("XDG_RUNTIME_DIR"):
        places.append(Path(own) / "podman" / "podman.sock")
    return places


def engine_url() -> str | None:
    """Where the engine answers, as far as can be told without asking it."""
    if told := os.environ.get(HOST_VARIABLE):
        return told
    return next((f"unix://{place}" for place in usual_sockets() if place.is_socket()), None)


@contextmanager
def connected(url: str | None = None, seconds: float = ANSWER_SECONDS) -> Iterator[DockerClient]:
    """A connection to the engine, the machine's own unless another one is named.

    Raises:
        SandboxError: There is none, or it does not answer.
    """
    if find_spec("docker") is None:
        raise SandboxError(MISSING_LIBRARY)
    url = url or engine_url()
    if url is None:
        raise SandboxError(NO_ENGINE)
    import docker

    with engine_errors(f"The container engine at {url} does not answer"):
        _try_socket(url)
        # From the environment also come certificates, for engines on other machines.
        environment = {**os.environ, HOST_VARIABLE: url}
        client = docker.from_env(environment=environment, timeout=seconds)  # type: ignore[arg-type]
    try:
        yield client
    finally:
        client.close()


def _try_socket(url: str) -> None:
    """Knock at an engine of this machine, since the library leaves handles open if none answers."""
    kind, _, path = url.partition("://")
    if kind == "unix":
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as knocking:
            knocking.settimeout(KNOCK_SECONDS)
            knocking.connect(path)


@contextmanager
def engine_errors(what_failed: str) -> Iterator[None]:
    """Turn whatever the library raises into an error that says what was tried.

    Raises:
        SandboxError: Something failed in here.
    """
    import docker.errors
    import requests
    import urllib3

    try:
        yield
    except (
        docker.errors.DockerException,
        requests.RequestException,
        urllib3.exceptions.HTTPError,
        OSError,
    ) as error:
        raise SandboxError(f"{what_failed}: {shortened(_in_short(error))}") from error


def _in_short(error: Exception) -> str:
    return str(getattr(error, "explanation", None) or error)
