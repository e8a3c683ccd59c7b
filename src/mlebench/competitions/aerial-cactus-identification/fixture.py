"""Made-up raw data of Aerial Cactus Identification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    thumbnails = pd.DataFrame(
        {
            "id": [f"{name}.jpg" for name in hex_ids(rng, rows, 32)],
            "has_cactus": rng.permutation(np.arange(rows) % 4 > 0).astype(int),
        }
    )
    write_csv(thumbnails, raw / "train.csv")
    pack(
        raw / "train.zip",
        {
            f"train/{name}": image_bytes(noise(rng, 90 + 80 * is_cactus))
            for name, is_cactus in zip(thumbnails["id"], thumbnails["has_cactus"])
        },
    )
