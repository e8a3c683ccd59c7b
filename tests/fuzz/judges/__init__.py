"""Slow and obvious judges, one for each competition, written from the fact sheets.

A judge takes the table that pandas read and the answers and gives the score, or raises
`InvalidError`, or `DontCareError` with one of the reasons below. Nothing in here uses
`mlebench.submission` or `mlebench.metrics`; what several judges need stands in `families`.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.versions import round_trip_option

Judge = Callable[[pd.DataFrame, Any], float]

DONT_CARE = {
    "mixed truth": "Spaceship's column is text with three or more distinct words: 0.0 up to "
    "scikit-learn 1.8, no score from 1.9 on.",
    "huge label": "A class label of 2^63 or more is a float that scikit-learn casts to a whole "
    "number, with a result that depends on the processor.",
    "unstable correlation": "Predictions so large that squares overflow, or so close together "
    "that rounding decides: the score depends on the version of scipy.",
    "unbounded box": "What a box with nan or infinite corners overlaps in VinBigData is left to "
    "the C code of the original's evaluator.",
    "extreme box": "A box so large, thin or far away that rounding decides whether its corners "
    "are square.",
}

JUDGES: dict[str, Judge] = {}
for module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    JUDGES |= getattr(import_module(f"{__name__}.{module}"), "JUDGES", {})


def load_answers(path: Path) -> Any:
    """The answers in the form that judges take."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return pd.read_csv(path, **round_trip_option())
