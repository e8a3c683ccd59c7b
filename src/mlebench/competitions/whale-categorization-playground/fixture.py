"""Made-up raw data of Humpback Whale Identification Challenge."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import UNKNOWN

PHOTOS = (9, 2, 2, 3, 5, 7, *[1] * 24)  # of each whale; the first ones are unknown


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    names = [UNKNOWN, *(f"w_{name}" for name in hex_ids(rng, len(PHOTOS) - 1, 7))]
    whales = rng.permutation(np.repeat(np.arange(len(PHOTOS)), PHOTOS))
    photos = pd.DataFrame(
        {
            "Image": [f"{name}.jpg" for name in hex_ids(rng, len(whales), 8)],
            "Id": np.take(names, whales),
        }
    )
    write_csv(photos, raw / "train.csv")
    for name, whale in zip(photos["Image"], whales):
        write_image(raw / "train" / name, noise(rng, 8 * whale))
