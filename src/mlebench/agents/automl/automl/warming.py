"""Libraries that most steps use, imported before the first: steps get them from their parent."""

from __future__ import annotations

from importlib import import_module

USED = ("scipy.sparse", "scipy.stats", "sklearn.linear_model", "sklearn.preprocessing", "lightgbm")


def warm() -> list[str]:
    """Import what is there, and tell what is not. None of them starts threads by that."""
    missing = []
    for name in USED:
        try:
            import_module(name)
        except (ImportError, OSError, MemoryError) as error:  # steps that need it will say so
            missing.append(f"{name} cannot be imported: {error}"[:200])
    return missing
