"""Models of LightGBM, which is imported when one is made: other solutions do without."""

from __future__ import annotations

from typing import Any

SETTINGS = {"random_state": 0, "n_jobs": 1, "verbose": -1, "deterministic": True}


def classifier(**options: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(force_row_wise=True, **options, **SETTINGS)


def regressor(**options: Any) -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(force_row_wise=True, **options, **SETTINGS)
