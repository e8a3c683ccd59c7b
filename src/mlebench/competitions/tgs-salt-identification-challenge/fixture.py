"""Made-up raw data of TGS Salt Identification Challenge."""

import io
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.masks import encode, runs_of
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import write_csv

from .task import SIDE


def fixture(raw: Path) -> None:
    from PIL import Image

    def png(pixels: np.ndarray) -> bytes:
        buffer = io.BytesIO()
        Image.fromarray(pixels.astype(np.uint8)).save(buffer, "png")
        return buffer.getvalue()

    rng = np.random.default_rng(0)
    row, column = np.mgrid[:SIDE, :SIDE]
    masks: dict[str, str] = {}
    files: dict[str, str | bytes] = {}
    for top in np.linspace(-30, 130, 24):  # from full tiles to empty ones
        tile = f"a{rng.integers(16**9):09x}"
        salt = row >= top + rng.uniform(-0.1, 0.1) * (column - SIDE / 2)
        masks[tile] = encode(runs_of(salt.T))
        rock = 90 + 30 * np.sin(row / 4) + rng.normal(0, 10, salt.shape)
        files[f"train/images/{tile}.png"] = png(np.where(salt, rock / 2 + 100, rock))
        files[f"train/masks/{tile}.png"] = png(255 * salt)
    table = pd.DataFrame({"id": masks.keys(), "rle_mask": masks.values()})
    files["train.csv"] = table.to_csv(index=False)
    pack(
        raw / "competition_data.zip",
        {f"competition_data/{name}": content for name, content in files.items()},
    )
    tiles = [*masks, "f00d5a1700", "f00d5a1701"]
    write_csv(pd.DataFrame({"id": tiles, "z": rng.integers(50, 960, 26)}), raw / "depths.csv")
