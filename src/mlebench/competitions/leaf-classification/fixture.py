"""Made-up raw data of Leaf Classification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.archives import pack

from .task import SPECIES

DESCRIPTIONS = [
    f"{kind}{number}" for kind in ("margin", "shape", "texture") for number in range(1, 65)
]


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 60
    species = rng.integers(0, 10, rows)
    numbers = np.sort(rng.permutation(100)[:rows] + 1)
    values = rng.random((rows, len(DESCRIPTIONS))) / 50
    values[np.arange(rows), 7 * species] += 0.05  # by which the species can be told
    leaves = pd.DataFrame(values.round(6), columns=DESCRIPTIONS)
    leaves.insert(0, "id", numbers)
    leaves.insert(1, "species", np.take(SPECIES, 9 * species))
    pack(raw / "train.csv.zip", {"train.csv": leaves.to_csv(index=False)})
    pictures = {f"images/{number}.jpg": noise(rng, 128, (8, 8)) for number in range(1, 101)}
    for number, kind in zip(numbers, species):
        pictures[f"images/{number}.jpg"] = noise(rng, 25 * kind, (8, 8))
    pack(raw / "images.zip", {name: image_bytes(pixels) for name, pixels in pictures.items()})
