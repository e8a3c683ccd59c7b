"""Made-up raw data of APTOS 2019 Blindness Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

from .task import GRADES


def fixture(raw: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    rows = 120
    photos = pd.DataFrame(
        {
            "id_code": [rng.bytes(6).hex() for _ in range(rows)],
            "diagnosis": rng.choice(GRADES, rows, p=[0.5, 0.1, 0.25, 0.05, 0.1]),
        }
    )
    write_csv(photos, raw / "train.csv")
    (raw / "train_images").mkdir(exist_ok=True)
    for name, grade in zip(photos["id_code"], photos["diagnosis"]):
        pixels = rng.normal(60 + 30 * grade, 20, (16, 16, 3)).clip(0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(raw / "train_images" / f"{name}.png")
