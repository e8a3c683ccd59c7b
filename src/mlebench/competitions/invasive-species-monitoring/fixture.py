"""Made-up raw data of Invasive Species Monitoring."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.archives import pack, pack_7z


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    photos = pd.DataFrame(
        {"name": range(1, rows + 1), "invasive": rng.permutation(np.arange(rows) % 3 > 0)}
    ).astype(int)
    labels = {"train_labels.csv": photos.to_csv(index=False)}
    pack(raw / "train_labels.csv.zip", labels)
    pack_7z(
        raw / "train.7z",
        {
            f"train/{name}.jpg": image_bytes(noise(rng, 90 + 80 * invasive))
            for name, invasive in zip(photos["name"], photos["invasive"])
        },
    )
