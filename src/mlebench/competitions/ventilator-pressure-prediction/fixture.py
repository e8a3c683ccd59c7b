"""Made-up raw data of Google Brain - Ventilator Pressure Prediction."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

STEPS = 8


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    breaths = [_breath(rng, number) for number in rng.permutation(1000)[:40]]
    steps = pd.concat(breaths)
    steps.insert(0, "id", range(1, len(steps) + 1))
    write_csv(steps, raw / "train.csv")


def _breath(rng: np.random.Generator, number: int) -> pd.DataFrame:
    """Half a second in, half a second out; the first step waits for the valve."""
    opened = np.append(0, rng.uniform(0, 30, STEPS - 1))
    resistance = rng.choice([5, 20, 50])
    return pd.DataFrame(
        {
            "breath_id": number,
            "R": resistance,
            "C": rng.choice([10, 20, 50]),
            "time_step": np.append(0, rng.uniform(0.03, 0.04, STEPS - 1)).cumsum(),
            "u_in": opened,
            "u_out": np.arange(STEPS) // (STEPS // 2),
            "pressure": 6 + 0.5 * opened + 0.1 * resistance + rng.normal(0, 0.5, STEPS),
        }
    )
