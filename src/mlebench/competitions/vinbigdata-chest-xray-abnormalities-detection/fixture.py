"""Made-up raw data of VinBigData Chest X-ray Abnormalities Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import write_dicom
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import CORNERS, NO_FINDING

NAMES = {0: "Aortic enlargement", 3: "Cardiomegaly", 8: "Nodule/Mass", 11: "Pleural thickening"}
IMAGES, RADIOLOGISTS, SIDE = 120, 3, 24


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = []
    for number, image in enumerate(hex_ids(rng, IMAGES, 32)):
        pixels = noise(rng, 60, (SIDE, SIDE))
        count = rng.integers(1, 4) if number % 3 else 0
        for kind in rng.choice([*NAMES], count, replace=False):
            rows += _drawn(rng, pixels, image, int(kind))
        if not count:
            rows += [
                (image, "No finding", NO_FINDING, f"R{number}", *[np.nan] * 4)
                for number in rng.choice(np.arange(1, 18), RADIOLOGISTS, replace=False)
            ]
        write_dicom(raw / "train" / f"{image}.dicom", pixels)
    columns = ["image_id", "class_name", "class_id", "rad_id", *CORNERS]
    findings = pd.DataFrame(rows, columns=columns).sample(frac=1, random_state=0)
    write_csv(findings, raw / "train.csv")


def _drawn(
    rng: np.random.Generator, pixels: np.ndarray, image: str, kind: int
) -> list[tuple[str | int | float, ...]]:
    """What radiologists say about a spot as bright as its class; they do not quite agree."""
    x, y = rng.integers(0, SIDE - 10, 2)
    width, height = rng.integers(4, 10, 2)
    pixels[y : y + height, x : x + width] = 120 + 10 * kind
    box = np.array([x, y, x + width, y + height], float)
    return [
        (image, NAMES[kind], kind, f"R{number}", *(box + rng.choice([0, 0.25, 0.5], 4)).tolist())
        for number in rng.choice(np.arange(1, 18), RADIOLOGISTS, replace=False)
    ]
