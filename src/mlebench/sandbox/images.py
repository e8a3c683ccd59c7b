"""Container images of agents: whether there is one, and building it as the original does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import SandboxError, shortened
from mlebench.printable import printable
from mlebench.sandbox import layout
from mlebench.sandbox.container_engine import connected, engine_errors

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.images import Image

BUILD_COMMAND = "mlebench agents build NAME --image"
# Between two lines of progress: large downloads and compilers print nothing for long.
SILENT_SECONDS = 3600.0
PLACES = ("SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR")
"""The build arguments that Dockerfiles of the original's agents expect."""

Say = Callable[[str], None]


def has_image(tag: str, engine: str | None = None) -> bool:
    """Whether the engine has an image of this name.

    Raises:
        SandboxError: No engine answers.
    """
    with connected(engine) as client:
        return _find(client, tag) is not None


def found_image(client: DockerClient, tag: str) -> Image:
    """The image of this name; nothing is fetched from anywhere.

    Raises:
        SandboxError: There is none.
    """
    found = _find(client, tag)
    if found is None:
        raise SandboxError(
            f"There is no container image {tag}; `{BUILD_COMMAND}` makes that of an agent."
        )
    return found


def build_image(
    agent_folder: Path | str,
    tag: str,
    build_args: Mapping[str, str] | None = None,
    *,
    say: Say | None = None,
    engine: str | None = None,
    platform: str | None = None,
) -> None:
    """Build the image of an agent from the Dockerfile in its folder.

    Args:
        agent_folder: Where the Dockerfile is, and all that it copies.
        tag: The name of the image.
        build_args: Further arguments, or others than the usual places.
        say: Gets each line of progress.
        engine: Where the engine answers; looked for in the usual places if not given.
        platform: For which kind of machine, if not for this one.

    Raises:
        SandboxError: It cannot be built, or no engine answers.
    """
    if not (Path(agent_folder) / "Dockerfile").is_file():
        raise SandboxError(f"There is no Dockerfile in {agent_folder} to build {tag} from.")
    places = layout.places()
    arguments = {name: places[name] for name in PLACES} | dict(build_args or {})
    with connected(engine, SILENT_SECONDS) as client:
        with engine_errors(f"The image {tag} cannot be built"):
            progress: Iterable[dict[str, Any]] = client.api.build(
                path=os.fspath(agent_folder),
                tag=tag,
                buildargs=arguments,
                platform=platform,
                decode=True,
                rm=True,
                forcerm=True,
            )
            error = _follow(progress, say or (lambda _: None))
        if error is not None:
            raise SandboxError(f"The image {tag} cannot be built: {shortened(error)}")
        found_image(client, tag)


def _follow(progress: Iterable[dict[str, Any]], say: Say) -> str | None:
    """Say what is being done; returns what went wrong."""
    error = None
    for part in progress:
        text = str(part.get("stream") or part.get("status") or "")
        for line in text.splitlines():
            if line.strip():
                say(printable(line.rstrip()))
        error = part.get("error") or error
    return None if error is None else printable(str(error))


def _find(client: DockerClient, tag: str) -> Image | None:
    import docker.errors

    with engine_errors(f"The engine does not say whether it has the image {tag}"):
        try:
            return client.images.get(tag)
        except docker.errors.ImageNotFound:
            return None
