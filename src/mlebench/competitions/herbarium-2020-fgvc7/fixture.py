"""Made-up raw data of Herbarium 2020."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.herbaria import make_herbarium
from mlebench.preparing.tables import write_json

# How many sheets there are of each species.
SHEETS = {0: 11, 7: 1, 42: 2, 314: 4, 5_099: 5, 10_204: 8, 32_093: 12}


def fixture(raw: Path) -> None:
    rng, folder = np.random.default_rng(0), raw / "nybg2020" / "train"
    metadata = make_herbarium(rng, folder, SHEETS, year=2020, place="region", rank="genus")
    write_json(metadata, folder / "metadata.json")
