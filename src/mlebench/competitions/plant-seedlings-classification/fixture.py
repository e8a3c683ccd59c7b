"""Made-up raw data of Plant Seedlings Classification."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids

from .task import SPECIES


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    each = 6
    names = iter(hex_ids(rng, each * len(SPECIES), 9))
    for number, species in enumerate(SPECIES):
        for _ in range(each):
            pixels = noise(rng, 20 * number)
            write_image(raw / "train" / species / f"{next(names)}.png", pixels)
