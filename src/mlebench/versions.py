"""What depends on the versions of the libraries that are installed."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def pandas_version() -> tuple[int, int]:
    """Major and minor number of the installed pandas."""
    import pandas as pd

    major, minor = pd.__version__.split(".")[:2]
    return int(major), int(minor)


@cache
def arrow_threads() -> bool:
    """Whether Arrow may read a csv in several threads.

    Before release 23 it now and then waits forever after a line that is longer than a block.
    """
    import pyarrow

    return int(pyarrow.__version__.split(".")[0]) >= 23


def round_trip_option() -> dict[str, Any]:
    """What makes pandas round floats correctly; from 3.1 on it always does, and warns."""
    return {"float_precision": "round_trip"} if pandas_version() < (3, 1) else {}


def own_version() -> str:
    """The installed version of mlebench; a mere source tree has none."""
    return version_of("mlebench") or "unknown"


def version_of(library: str) -> str | None:
    """The installed version of a library; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return None
