"""The Python that an agent runs with in a room: bare, with its requirements, or ours.

Environments lie in the cache, one for each list of requirements, whoever needs it. One counts
as built when its mark is there, which is made last; what a killed process left is built again,
from packages that pip has kept.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from mlebench.agents.definition import HOST_PACKAGES, Agent
from mlebench.agents.digests import add_files
from mlebench.data.locks import exclusive
from mlebench.errors import ConfigError, SandboxError
from mlebench.extras import LIBRARIES, how_to_install, missing_libraries
from mlebench.sandbox.room import PythonHome
from mlebench.versions import version_of

FOLDER = "pythons"
BUILT = ".mlebench-built"
MOST_ERROR_LINES = 5
# What would lead the new environment's Python to packages of another one.
FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
COMMENT = re.compile(r"(?:^|\s)#.*", re.MULTILINE)
NAMED_IN_A_LINE = re.compile(r"[^\s=@]+")

Tell = Callable[[str], None]

logger = logging.getLogger(__name__)


def python_for(agent: Agent, cache: Path, tell: Tell | None = None) -> PythonHome:
    """The Python for an agent, which is built if need be.

    Args:
        agent: Its requirements decide.
        cache: Where environments are kept.
        tell: Called with a line whenever something happens that takes time.

    Raises:
        ConfigError: The requirements cannot be installed, or libraries of an extra are missing.
        SandboxError: This Python cannot make environments.
    """
    if agent.requirements == HOST_PACKAGES:
        home = PythonHome(Path(sys.prefix) / "bin", _folders(Path(sys.prefix)))
        if agent.extra:
            _require_extra(agent.id, agent.extra, home)
        return home
    requirements = agent.folder / agent.requirements if agent.requirements else None
    place = cache.absolute() / FOLDER / _name(requirements, agent.folder)
    if not (place / BUILT).is_file():
        place.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(place.with_name(f"{place.name}.lock")):
            if not (place / BUILT).is_file():  # somebody else may have been faster
                _build(place, requirements, agent, tell or logger.info)
    return PythonHome(place / "bin", _folders(place))


def _require_extra(agent_id: str, extra: str, home: PythonHome) -> None:
    """Refuse an agent whose libraries are not installed, or not where rooms have them."""
    if missing := missing_libraries(extra):
        raise ConfigError(
            f"Agent {agent_id} needs {' and '.join(missing)}, not installed here. To have all "
            f"that it needs: {how_to_install(extra)}"
        )
    for library, module in LIBRARIES[extra].items():
        spec = find_spec(module)
        place = Path(spec.origin or "").resolve() if spec else Path()
        if not any(place.is_relative_to(folder.resolve()) for folder in home.folders):
            raise ConfigError(
                f"Agent {agent_id} needs {library}, which lies in {place.parent}, outside the "
                f"Python in {sys.prefix} that its room has. Install it there: "
                f"{home.executables}/{how_to_install(extra)}"
            )


def _build(place: Path, requirements: Path | None, agent: Agent, tell: Tell) -> None:
    if place.exists():
        shutil.rmtree(place)
    # In its final place, because programs that are installed into it name it.
    make = [str(_interpreter()), "-I", "-m", "venv", str(place)]
    if requirements is None or _own_pip_serves():
        make.append("--without-pip")  # which takes a tenth of the time
    if requirements is not None:
        tell(f"Making a Python for {agent.id} in {place}")
    code, printed = _run(make, agent.folder, logger.debug)
    if code:
        raise SandboxError(
            f"This Python cannot make an environment for {agent.id}: {_reason(printed)} Where "
            "Python comes in parts, it takes the one called python3-venv."
        )
    if requirements is not None:
        tell(f"Installing {agent.requirements} of {agent.id}")
        python = str(place / "bin" / "python")
        pip = [sys.executable, "-m", "pip", "--python", python]
        install = [
            *(pip if _own_pip_serves() else [python, "-m", "pip"]), "install", "--no-input",
            "--disable-pip-version-check", "--progress-bar", "off", "-r", str(requirements),
        ]  # fmt: skip
        code, printed = _run(install, agent.folder, tell)
        if code:
            log = place.with_name(f"{place.name}.log")
            log.write_text("".join(f"{line}\n" for line in printed), encoding="utf-8")
            shutil.rmtree(place)
            raise ConfigError(
                f"{requirements} cannot be installed: {_reason(printed)} All that pip said is "
                f"in {log}."
            )
    (place / BUILT).touch()


def _own_pip_serves() -> bool:
    """Whether the environment that we run in has a pip that can install into others."""
    major, minor = ((version_of("pip") or "0") + ".0").split(".")[:2]
    return (int(major), int(minor)) >= (22, 3)


def _run(command: list[str], folder: Path, tell: Tell) -> tuple[int, list[str]]:
    """The exit code of a command and what it printed, line by line told as it comes."""
    environment = {name: value for name, value in os.environ.items() if name not in FOREIGN}
    printed = []
    with subprocess.Popen(  # noqa: S603 (our own Python)
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                printed.append(line.rstrip())
                tell(line.rstrip())
        except BaseException:
            process.kill()
            raise
    return process.returncode, printed


def _reason(printed: list[str]) -> str:
    """What a program said was wrong, in one paragraph."""
    errors = [line.partition("ERROR:")[2].strip() for line in printed if "ERROR:" in line]
    said = [*dict.fromkeys(line for line in errors if line)] or [line for line in printed if line]
    shown = " ".join(said[-MOST_ERROR_LINES:]) or "it does not say why"
    return shown if shown.endswith((".", "!", ":")) else f"{shown}."


def _name(requirements: Path | None, folder: Path) -> str:
    """What an environment is called: all that decides about its content, in short."""
    digest = hashlib.sha256(f"{sys.version}\n{_interpreter()}\n".encode())
    kind = "bare"
    if requirements is not None:
        kind = "with"
        for path in _named_files(requirements, folder, set()):
            add_files(digest, path)
    version = ".".join(map(str, sys.version_info[:2]))
    return f"python{version}-{kind}-{digest.hexdigest()[:16]}"


def _named_files(requirements: Path, folder: Path, seen: set[Path]) -> Iterator[Path]:
    """A requirements file and all that it names: further lists, local packages, wheels."""
    if requirements in seen:
        return
    seen.add(requirements)
    yield requirements
    text = requirements.read_text(encoding="utf-8", errors="replace")
    for word in NAMED_IN_A_LINE.findall(COMMENT.sub("", text)):
        # Lists are looked for beside the one that names them, packages where pip runs.
        for place in dict.fromkeys((requirements.parent / word, folder / word)):
            if place.suffix == ".txt" and _is_there(place):
                yield from _named_files(place.resolve(), folder, seen)
            elif _is_there(place):
                yield place.resolve()


def _is_there(place: Path) -> bool:
    """Whether a word names a file, or a folder that is not far away."""
    try:
        return place.is_file() or (place.is_dir() and not place.is_mount())
    except (OSError, ValueError):  # a name that no file can have
        return False


def _interpreter() -> Path:
    """The Python that ours was made from, without links on the way to it."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


def _folders(environment: Path) -> tuple[Path, ...]:
    """What it takes to run an environment's Python; none of them is inside another one."""
    prefixes = {
        environment,
        *map(Path, (sys.base_prefix, sys.base_exec_prefix)),
        _interpreter().parents[1],
    }
    return tuple(
        sorted(
            folder
            for folder in prefixes
            if not any(folder != other and folder.is_relative_to(other) for other in prefixes)
        )
    )
