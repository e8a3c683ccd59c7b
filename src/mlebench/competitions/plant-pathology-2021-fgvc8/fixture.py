"""Made-up raw data of Plant Pathology 2021."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

FINDINGS = (
    "healthy",
    "scab",
    "rust complex",
    "frog_eye_leaf_spot",
    "scab frog_eye_leaf_spot complex",
    "powdery_mildew",
    "rust",
)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 70
    found = rng.permutation(np.arange(rows) % len(FINDINGS))
    leaves = pd.DataFrame(
        {
            "image": [f"{name}.jpg" for name in hex_ids(rng, rows, 16)],
            "labels": np.take(FINDINGS, found),
        }
    )
    write_csv(leaves, raw / "train.csv")
    for name, finding in zip(leaves["image"], found):
        write_image(raw / "train_images" / name, noise(rng, 30 * finding))
