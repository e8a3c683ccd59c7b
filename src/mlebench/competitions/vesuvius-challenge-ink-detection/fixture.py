"""Made-up raw data of Vesuvius Challenge - Ink Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.metrics.masks import encode, runs_of
from mlebench.preparing.tables import write_csv

from .task import TEST, TRAIN

SLICES = 3
SIZES = {"1": (10, 12), "2": (14, 9), "3": (11, 13)}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    for name in (*TRAIN, TEST):
        folder, (height, width) = raw / "train" / name, SIZES[name]
        row, column = np.mgrid[:height, :width]
        distance = np.hypot(row - height / 2, column - width / 2)
        is_ink = (distance > 2) & (distance < 4)  # a letter o
        for depth in range(SLICES):
            density = 30_000 + 8_000 * is_ink + rng.normal(0, 1_000, is_ink.shape)
            write_image(folder / "surface_volume" / f"{depth:02d}.tif", density.astype(np.uint16))
        write_image(folder / "mask.png", np.full((height, width), 255, np.uint8))
        write_image(folder / "inklabels.png", (255 * is_ink).astype(np.uint8))
        infrared = noise(rng, 180, (height, width))
        write_image(folder / "ir.png", np.where(is_ink, infrared // 3, infrared))
        code = pd.DataFrame({"Id": [name], "Predicted": [encode(runs_of(is_ink))]})
        write_csv(code, folder / "inklabels_rle.csv")
