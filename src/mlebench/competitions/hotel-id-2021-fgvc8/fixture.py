"""Made-up raw data of Hotel-ID 2021."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import LISTED_TWICE

HOTELS = (36363, 53586, 18807, 64314, 60181, 207, 9973)
CHAINS = (0, 3, 5, 88, 0, 3, 5)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 100
    hotels = rng.integers(0, len(HOTELS), rows)
    names = [f"{name}.jpg" for name in hex_ids(rng, rows, 16)]
    hotels[[20, 70]] = 2, 3
    names[20] = names[70] = LISTED_TWICE
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 10**8, rows), "s")
    photos = pd.DataFrame(
        {
            "image": names,
            "chain": np.take(CHAINS, hotels),
            "hotel_id": np.take(HOTELS, hotels),
            "timestamp": days.strftime("%Y-%m-%d %H:%M:%S"),
        }
    )
    write_csv(photos, raw / "train.csv")
    for name, chain, hotel in zip(photos["image"], photos["chain"], hotels):
        write_image(raw / "train_images" / str(chain) / name, noise(rng, 30 * hotel))
