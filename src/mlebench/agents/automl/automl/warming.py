"""Libraries that most steps use, imported before the first: steps get them from their parent."""

from __future__ import annotations

import contextlib
from importlib import import_module

USED = ("scipy.sparse", "scipy.stats", "sklearn.linear_model", "sklearn.preprocessing", "lightgbm")


def warm() -> None:
    """Import what is there. None of them starts threads by being imported."""
    for name in USED:
        with contextlib.suppress(ImportError):
            import_module(name)
