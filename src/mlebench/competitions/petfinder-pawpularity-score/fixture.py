"""Made-up raw data of PetFinder.my Pawpularity."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    rows = 120
    flags = (
        *("Subject Focus", "Eyes", "Face", "Near", "Action", "Accessory"),
        *("Group", "Collage", "Human", "Occlusion", "Info", "Blur"),
    )
    photos = pd.DataFrame(
        {
            "Id": [rng.bytes(16).hex() for _ in range(rows)],
            **{flag: rng.integers(0, 2, rows) for flag in flags},
            "Pawpularity": rng.normal(38, 20, rows).clip(1, 100).astype(int),
        }
    )
    write_csv(photos, raw / "train.csv")
    (raw / "train").mkdir(exist_ok=True)
    for name, appeal in zip(photos["Id"], photos["Pawpularity"]):
        pixels = rng.normal(2 * appeal, 30, (16, 16, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(raw / "train" / f"{name}.jpg")
