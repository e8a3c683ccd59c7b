"""Made-up raw data of Herbarium 2021."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.herbaria import write_herbarium

# How many sheets there are of each species.
SHEETS = {0: 6, 3: 12, 100: 1, 2_718: 2, 9_999: 4, 15_504: 5, 64_499: 20}
INFO = {
    "year": 2021,
    "version": "1.0",
    "url": "https://example.org",
    "description": "made up",
    "contributor": "nobody",
    "date_created": "2021-03-01",
}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    write_herbarium(rng, raw / "train", SHEETS, INFO, place="institution", rank="order")
