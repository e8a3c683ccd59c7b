"""Made-up raw data of iMet Collection 2020."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

NAMES = (
    "country::france",
    "culture::roman",
    "medium::gold",
    "tags::men",
    "dimension::",
    "tags::cats",
)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    chosen = [
        np.sort(rng.choice(len(NAMES), rng.integers(1, 4), replace=False)) for _ in range(rows)
    ]
    pieces = pd.DataFrame(
        {
            "id": hex_ids(rng, rows, 32),
            "attribute_ids": [" ".join(map(str, attributes)) for attributes in chosen],
        }
    )
    write_csv(pieces, raw / "train.csv")
    write_csv(
        pd.DataFrame({"attribute_id": range(len(NAMES)), "attribute_name": NAMES}),
        raw / "labels.csv",
    )
    for name, attributes in zip(pieces["id"], chosen):
        write_image(raw / "train" / f"{name}.png", noise(rng, 40 * attributes[0]))
