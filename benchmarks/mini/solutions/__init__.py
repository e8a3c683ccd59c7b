"""The reference solutions of the split ``mini``, from a constant to stacked models.

Each module is about one competition and has a function ``solutions``: for each solution its name
and a function that makes a submission from the folder of public data. All of them are
deterministic: seeds are fixed, and nothing runs in parallel.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pandas as pd

Solution = Callable[[Path], pd.DataFrame]

COMPETITIONS = ("co2", "diamonds", "digits", "gospels", "phishing", "segments")


def solutions_of(name: str) -> dict[str, Solution]:
    """The solutions of a competition, given without ``mini-``."""
    found: dict[str, Solution] = import_module(f"{__name__}.{name}").solutions()
    return found
