"""Made-up raw data of Dogs vs. Cats Redux."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.archives import pack

BRIGHTNESS = {"cat": 80, "dog": 170}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    pack(
        raw / "train.zip",
        {
            f"train/{kind}.{number}.jpg": image_bytes(noise(rng, brightness))
            for kind, brightness in BRIGHTNESS.items()
            for number in range(60)
        },
    )
    unlabelled = {f"test/{number}.jpg": image_bytes(noise(rng, 125)) for number in (1, 2, 3)}
    pack(raw / "test.zip", unlabelled)
