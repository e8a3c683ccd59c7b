"""What this machine can do, and what is missing for the rest."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from mlebench.data.manifest import find_gap
from mlebench.errors import KaggleAuthError, MlebenchError
from mlebench.registry import Registry
from mlebench.versions import own_version, version_of

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
EXTRAS = {"kaggle": "httpx"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    result: str
    """``ok``, ``missing`` (something optional) or ``failed``."""
    detail: str


def diagnose(registry: Registry) -> list[Finding]:
    """Look at Python, libraries, data folder, competitions and logins."""
    return [
        Finding("mlebench", "ok", own_version()),
        Finding("python", "ok", f"{platform.python_version()} at {sys.executable}"),
        *_libraries(),
        _data_dir(registry.get_data_dir()),
        _competitions(registry),
        _kaggle(),
    ]


def _libraries() -> Iterator[Finding]:
    with ThreadPoolExecutor() as threads:
        yield from threads.map(_library, PROBES)
    for extra, module in EXTRAS.items():
        if find_spec(module):
            yield Finding(f"extra: {extra}", "ok", version_of(module) or "of unknown version")
        else:
            yield Finding(f"extra: {extra}", "missing", f"pip install 'mlebench[{extra}]'")


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
    try:
        outcome = subprocess.run(  # noqa: S603 (code of ours)
            [sys.executable, "-P", "-c", code],  # -P: nothing that lies in the working directory
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {PROBE_SECONDS:g} seconds"
    if outcome.returncode == 0:
        return ""
    said = [line.strip() for line in outcome.stderr.splitlines() if line.strip()]
    return said[-1] if said else f"exit code {outcome.returncode}"


def _data_dir(path: Path) -> Finding:
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        what = "cannot be written" if existing.is_dir() else f"is no folder ({existing} is a file)"
        return Finding("data folder", "failed", f"{path} {what}; choose --data-dir")
    free = shutil.disk_usage(existing).free / 1e9
    return Finding("data folder", "ok", f"{path} ({free:.0f} GB free)")


def _competitions(registry: Registry) -> Finding:
    try:
        ids = registry.list_competition_ids()
        ready = [competition_id for competition_id in ids if registry.is_written(competition_id)]
        prepared = [name for name in ready if not find_gap(registry.get_competition(name))]
    except MlebenchError as error:
        return Finding("competitions", "failed", str(error))
    detail = f"{len(ids)} known, {len(ready)} ready, {len(prepared)} prepared"
    return Finding("competitions", "ok", detail)


def _kaggle() -> Finding:
    from mlebench.data.kaggle import find_login

    try:
        find_login()
    except KaggleAuthError as error:
        return Finding("kaggle login", "missing", str(error))
    return Finding("kaggle login", "ok", "found (not tried)")
