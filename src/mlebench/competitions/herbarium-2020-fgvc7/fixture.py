"""Made-up raw data of Herbarium 2020."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.herbaria import write_herbarium

# How many sheets there are of each species.
SHEETS = {0: 11, 7: 1, 42: 2, 314: 4, 5_099: 5, 10_204: 8, 32_093: 12}
INFO = {
    "year": 2020,
    "version": "1.0",
    "url": "https://example.org",
    "description": "made up",
    "contributor": "nobody",
    "date_created": "2020-03-01",
}


def fixture(raw: Path) -> None:
    folder = raw / "nybg2020" / "train"
    write_herbarium(np.random.default_rng(0), folder, SHEETS, INFO, place="region", rank="genus")
