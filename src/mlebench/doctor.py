"""What this machine can do, and what is missing for the rest."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.inventory import holding
from mlebench.data.sources import KAGGLE
from mlebench.disks import existing_part
from mlebench.errors import (
    KaggleAuthError,
    MlebenchError,
    SandboxError,
    TaskNotWrittenError,
    UnavailableError,
)
from mlebench.extras import LIBRARIES, UNLOCKED, how_to_install, missing_libraries
from mlebench.registry import Registry
from mlebench.versions import own_version, version_of

if TYPE_CHECKING:
    from mlebench.data.outlook import Outlook

# For each compiled library something that fails if it does not fit the others: `pip check`
# compares version numbers, not what the libraries were compiled for.
PROBES = {
    "numpy": "import numpy; numpy.arange(3).sum()",
    "pandas": "import pandas; pandas.DataFrame({'a': [1.5]}).sum()",
    "pyarrow": "import pandas, pyarrow, pyarrow.compute, pyarrow.csv\n"
    "pyarrow.array([1.5]).to_numpy()\n"
    "pandas.Series(pyarrow.array(['a']), dtype=pandas.ArrowDtype(pyarrow.string())).isna()",
    "scipy": "from scipy import stats; stats.pearsonr([1, 2, 3], [1, 3, 2])",
    "shapely": "import shapely; shapely.area(shapely.box(0, 0, 1, 1))",
    "py7zr": "import py7zr",
    "pillow": "from PIL import Image; Image.new('L', (1, 1)).tobytes()",
}
PROBE_SECONDS = 120.0
# By the names that agents of the original take them from.
MODEL_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY")
NAMED = 3  # broken competitions; of the others only the number is told
PROBE_BYTES = 4096  # which a full disk has no room for
# Fails where no room can be made.
BWRAP = ("bwrap", "--ro-bind", "/", "/", "--unshare-all", "true")


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    result: str
    """``ok``, ``missing`` (something optional) or ``failed``."""
    detail: str


def diagnose(registry: Registry, outlooks: Sequence[Outlook] = ()) -> list[Finding]:
    """Look at Python, libraries, rooms for agents, data folder, competitions and logins.

    Args:
        registry: Knows the competitions.
        outlooks: What stands before preparations, for which Kaggle may have been asked.
    """
    return [
        Finding("mlebench", "ok", own_version()),
        Finding("python", "ok", f"{platform.python_version()} at {sys.executable}"),
        *_libraries(),
        *_rooms(),
        _data_dir(registry.get_data_dir()),
        *_competitions(registry),
        _kaggle(outlooks),
        _language_models(),
    ]


def _libraries() -> Iterator[Finding]:
    with ThreadPoolExecutor() as threads:
        yield from threads.map(_library, PROBES)
    for extra, (library, *_) in LIBRARIES.items():
        if missing_libraries(extra):
            unlocked = f"would unlock {UNLOCKED[extra]}: {how_to_install(extra)}"
            yield Finding(f"extra: {extra}", "missing", unlocked)
        else:
            yield Finding(f"extra: {extra}", "ok", version_of(library) or "of unknown version")


def _library(library: str) -> Finding:
    """Whether a library is there and works together with the others."""
    if (installed := version_of(library)) is None:
        return Finding(library, "failed", f"pip install {library}")
    if problem := _probe(PROBES[library]):
        others = " ".join(name for name in PROBES if name != library)
        return Finding(
            library,
            "failed",
            f"{installed} does not work with what else is installed ({problem}). Let pip choose "
            f"versions that fit: pip install --upgrade {library} {others}",
        )
    return Finding(library, "ok", installed)


def _probe(code: str) -> str:
    """Why some code fails in a Python of its own, which a broken library may take down."""
    # -P: nothing that lies in the working directory
    return _run([sys.executable, "-P", "-c", code])


def _run(command: Sequence[str]) -> str:
    """Why a program fails, in its own words."""
    try:
        outcome = subprocess.run(  # noqa: S603 (commands of ours)
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {PROBE_SECONDS:g} seconds"
    except OSError as error:
        return str(error)
    if outcome.returncode == 0:
        return ""
    said = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    return said[-1] if said else f"exit code {outcome.returncode}"


def _rooms() -> Iterator[Finding]:
    """What can keep an agent in a room of its own; each of them will do."""
    yield _bwrap()
    yield _containers()


def _containers() -> Finding:
    """Whether a container engine answers, asked as runs ask it: a program alone makes no room."""
    from mlebench.sandbox.container_engine import connected

    try:
        with connected() as client:
            version = client.version()
    except (SandboxError, OSError) as error:
        return Finding("room: container", "missing", str(error))
    except Exception as error:  # whatever the library meets, the rest is told
        return Finding("room: container", "missing", f"The engine does not answer: {error}")
    parts = [str(part.get("Name")) for part in version.get("Components") or [{"Name": "engine"}]]
    return Finding("room: container", "ok", f"{parts[0]} {version.get('Version', '')}".strip())


def _bwrap() -> Finding:
    what = "room: bwrap"
    if shutil.which("bwrap") is None:
        return Finding(what, "missing", "bwrap is not on the path")
    if problem := _run(BWRAP):
        return Finding(what, "missing", f"bwrap is there, but does not work ({problem})")
    return Finding(what, "ok", str(shutil.which("bwrap")))


def outlook_findings(outlooks: Iterable[Outlook]) -> Iterator[Finding]:
    """Whether competitions can be prepared: login, rules, room."""
    from mlebench.data.outlook import in_gigabytes

    for outlook in outlooks:
        if outlook.problem:
            yield Finding(outlook.competition_id, "missing", str(outlook.problem))
        elif outlook.source == "prepared":
            yield Finding(outlook.competition_id, "ok", "prepared")
        else:
            size = in_gigabytes(outlook.need.most) if outlook.need else "unknown"
            rules = f"rules {outlook.rules}, " if outlook.rules else ""
            detail = f"can be prepared ({outlook.source}, {rules}room needed: {size})"
            yield Finding(outlook.competition_id, "ok", detail)


def _data_dir(path: Path) -> Finding:
    existing = existing_part(path)
    if problem := _try_writing(existing):
        return Finding("data folder", "failed", f"{path} {problem}; choose --data-dir")
    free = shutil.disk_usage(existing).free / 1e9
    return Finding("data folder", "ok", f"{path} ({free:.0f} GB free)")


def _try_writing(folder: Path) -> str:
    """Why nothing can be written to a folder; rights alone do not tell, least of all to root."""
    if not folder.is_dir():
        return f"is no folder ({folder} is a file)"
    try:
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            file.write(bytes(PROBE_BYTES))
    except OSError as error:
        return f"cannot be written ({os.strerror(error.errno or 0)})"
    return ""


def _competitions(registry: Registry) -> Iterator[Finding]:
    try:
        ids = registry.list_known_ids()
    except MlebenchError as error:
        yield Finding("competitions", "failed", str(error))
        return
    problems = {name: problem for name in ids if (problem := registry.find_problem(name))}
    broken = [
        f"{name}: {problem}"
        for name, problem in problems.items()
        if not isinstance(problem, TaskNotWrittenError)
    ]
    if broken:
        more = f" And {len(broken) - NAMED} more." if len(broken) > NAMED else ""
        detail = f"{len(broken)} of {len(ids)} cannot be used. {' '.join(broken[:NAMED])}{more}"
        yield Finding("competitions", "failed", detail)
        return
    ready = [name for name in ids if name not in problems]
    detail = f"{len(ids)} known, {len(ready)} ready"
    if not os.access(existing_part(registry.get_data_dir()), os.X_OK):  # told of the data folder
        yield Finding("competitions", "ok", detail)
        return
    holdings = [holding(registry.get_competition(name)) for name in ready]
    prepared = sum(found.status == "prepared" for found in holdings)
    yield Finding("competitions", "ok", f"{detail}, {prepared} prepared")
    for found in holdings:
        if found.reason:
            yield Finding(found.competition_id, "missing", found.reason)


def _language_models() -> Finding:
    """Whether keys are set that agents with a language model could be given."""
    found = [name for name in MODEL_KEYS if os.environ.get(name)]
    if found:
        return Finding("language models", "ok", f"keys for agents: {', '.join(found)}")
    detail = (
        f"no key is set, such as {MODEL_KEYS[0]}: agents that ask for one cannot run; "
        "automl needs none"
    )
    return Finding("language models", "missing", detail)


def _kaggle(outlooks: Sequence[Outlook]) -> Finding:
    from mlebench.data.kaggle import find_login

    try:
        login = find_login()
    except KaggleAuthError as error:
        return Finding("kaggle login", "missing", str(error))
    refused = [one for one in outlooks if isinstance(one.problem, KaggleAuthError)]
    if refused:
        return Finding("kaggle login", "failed", f"from {login.source}; Kaggle refuses it")
    asked = [one for one in outlooks if one.source == KAGGLE]
    if not asked:
        return Finding("kaggle login", "ok", f"from {login.source}; not tried")
    if any(one.rules for one in asked):
        return Finding("kaggle login", "ok", f"from {login.source}; Kaggle takes it")
    is_silent = any(isinstance(one.problem, UnavailableError) for one in asked)
    how = "Kaggle did not answer" if is_silent else "Kaggle could not be asked"
    return Finding("kaggle login", "missing", f"from {login.source}; {how}")
