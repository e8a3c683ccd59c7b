"""Made-up raw data of Herbarium 2021."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.herbaria import make_herbarium
from mlebench.preparing.tables import write_json

# How many sheets there are of each species.
SHEETS = {0: 6, 3: 12, 100: 1, 2_718: 2, 9_999: 4, 15_504: 5, 64_499: 20}


def fixture(raw: Path) -> None:
    rng, folder = np.random.default_rng(0), raw / "train"
    metadata = make_herbarium(rng, folder, SHEETS, year=2021, place="institution", rank="order")
    write_json(metadata, folder / "metadata.json")
