"""Made-up raw data of Paddy Doctor."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.preparing.tables import write_csv

from .task import CLASSES

VARIETIES = ("ADT45", "AndraPonni", "Surya")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 60
    leaves = pd.DataFrame(
        {
            "image_id": [f"{number}.jpg" for number in 100_001 + rng.permutation(10_407)[:rows]],
            "label": rng.permutation(np.resize(CLASSES, rows)),
            "variety": rng.choice(VARIETIES, rows),
            "age": rng.integers(45, 83, rows),
        }
    )
    write_csv(leaves, raw / "train.csv")
    for name, label in zip(leaves["image_id"], leaves["label"]):
        pixels = noise(rng, 25 * CLASSES.index(label))
        write_image(raw / "train_images" / label / name, pixels)
