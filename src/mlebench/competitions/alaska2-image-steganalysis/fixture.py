"""Made-up raw data of ALASKA2 Image Steganalysis."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.images import noise, write_image

from .task import ALGORITHMS


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = np.sort(rng.permutation(75_000)[:150]) + 1
    for number in numbers:
        pixels = noise(rng, 80)
        for shift, folder in enumerate(("Cover", *ALGORITHMS)):
            # A message makes the made-up photograph brighter than any cover.
            write_image(raw / folder / f"{number:05d}.jpg", pixels // 2 + 40 * shift)
