"""What this machine can do, and what is missing for the rest."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from mlebench.data.manifest import find_gap
from mlebench.errors import KaggleAuthError, MlebenchError
from mlebench.registry import Registry
from mlebench.settings import own_version

LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "shapely", "pillow")
EXTRAS = {"archives": "py7zr", "kaggle": "httpx"}


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
    for library in LIBRARIES:
        try:
            yield Finding(library, "ok", version(library))
        except PackageNotFoundError:
            yield Finding(library, "failed", f"pip install {library}")
    for extra, module in EXTRAS.items():
        if find_spec(module):
            yield Finding(f"extra: {extra}", "ok", version(module))
        else:
            yield Finding(f"extra: {extra}", "missing", f"pip install 'mlebench[{extra}]'")


def _data_dir(path: Path) -> Finding:
    existing = next(folder for folder in (path, *path.parents) if folder.exists())
    if not os.access(existing, os.W_OK):
        return Finding("data folder", "failed", f"{path} cannot be written; choose --data-dir")
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
