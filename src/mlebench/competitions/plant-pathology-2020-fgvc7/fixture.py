"""Made-up raw data of Plant Pathology 2020."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.preparing.tables import one_hot, write_csv

from .task import STATES


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 60
    states = np.arange(rows) // 5 % 4  # so that each state is among the six held-out leaves
    leaves = pd.DataFrame({"image_id": [f"Train_{number}" for number in range(rows)]})
    write_csv(leaves.join(one_hot(pd.Series(np.take(STATES, states)), STATES)), raw / "train.csv")
    for name, state in zip(leaves["image_id"], states.tolist()):
        write_image(raw / "images" / f"{name}.jpg", noise(rng, 50 + 50 * state))
    for number in range(3):
        write_image(raw / "images" / f"Test_{number}.jpg", noise(rng, 128))
