"""Made-up raw data of Dog Breed Identification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import BREEDS


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 100
    breeds = rng.integers(0, 12, rows)
    photos = pd.DataFrame({"id": hex_ids(rng, rows, 32), "breed": np.take(BREEDS, breeds)})
    write_csv(photos, raw / "labels.csv")
    for name, breed in zip(photos["id"], breeds):
        write_image(raw / "train" / f"{name}.jpg", noise(rng, 20 * breed))
