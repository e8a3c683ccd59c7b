"""Made-up raw data of OSIC Pulmonary Fibrosis Progression."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import write_dicom
from mlebench.preparing.tables import write_csv

SLICES = 2


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    patients = [f"ID{number:020d}" for number in rng.permutation(10**6)[:30]]
    write_csv(pd.concat([_visits(rng, patient) for patient in patients]), raw / "train.csv")
    for patient in patients:
        for number in range(1, SLICES + 1):
            write_dicom(raw / "train" / patient / f"{number}.dcm", noise(rng, 100, (8, 8)))


def _visits(rng: np.random.Generator, patient: str) -> pd.DataFrame:
    """A few weeks in no order; breath is lost from one to the next."""
    weeks = rng.permutation(np.arange(-5, 40))[: rng.integers(2, 7)]
    start, decline = rng.uniform(2000, 4000), rng.uniform(0, 15)
    volumes = rng.normal(start - decline * weeks, 50).round().astype(int)
    return pd.DataFrame(
        {
            "Patient": patient,
            "Weeks": weeks,
            "FVC": volumes,
            "Percent": 100 * volumes / 3700,
            "Age": rng.integers(50, 85),
            "Sex": rng.choice(["Male", "Female"]),
            "SmokingStatus": rng.choice(["Ex-smoker", "Never smoked", "Currently smokes"]),
        }
    )
