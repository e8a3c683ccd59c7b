"""Made-up raw data of Histopathologic Cancer Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows, unlabelled = 80, 20
    ids = hex_ids(rng, rows + unlabelled, 40)
    patches = pd.DataFrame(
        {"id": ids[:rows], "label": rng.permutation(np.arange(rows) % 5 < 2).astype(int)}
    )
    write_csv(patches, raw / "train_labels.csv")
    for name, label in zip(patches["id"], patches["label"]):
        write_image(raw / "train" / f"{name}.tif", noise(rng, 200 - 80 * label))
    for name in ids[rows:]:
        write_image(raw / "test" / f"{name}.tif", noise(rng, 160))
