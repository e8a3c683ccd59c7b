"""Made-up raw data of Molecular Translation."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import EXTRA, drawings


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 60
    carbons, tritium = rng.integers((2, 1), (9, 4), (rows, 2)).T.tolist()
    molecules = pd.DataFrame(
        {
            "image_id": hex_ids(rng, rows, 12),
            "InChI": [*map(_alkane, carbons, tritium)],
        }
    )
    write_csv(molecules, raw / "train_labels.csv")
    write_csv(pd.DataFrame({"InChI": [_alkane(10, 0), _alkane(11, 2)]}), raw / EXTRA)
    for drawing, count in zip(drawings(molecules["image_id"]), carbons):
        write_image(raw / "train" / drawing, noise(rng, 25 * count, (8, 8)))


def _alkane(carbons: int, tritium: int) -> str:
    """A chain of carbon atoms, with some hydrogen replaced so that commas are needed."""
    chain = "-".join(map(str, range(1, carbons + 1)))
    isotopes = ",".join(f"{place}T" for place in range(1, tritium + 1))
    formula = f"InChI=1S/C{carbons}H{2 * carbons + 2}/c{chain}/h{chain}H3"
    return f"{formula}/i{isotopes}" if isotopes else formula
