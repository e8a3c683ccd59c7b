"""Made-up raw data of RSNA-MICCAI Brain Tumor."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import write_dicom
from mlebench.preparing.tables import write_csv

from .task import FAULTY

SERIES = ("FLAIR", "T1w", "T1wCE", "T2w")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 80
    others = [f"{number:05d}" for number in rng.permutation(100)[: rows - len(FAULTY)]]
    labels = pd.DataFrame(
        {
            "BraTS21ID": sorted([*FAULTY, *others]),
            "MGMT_value": rng.permutation(np.arange(rows) % 2),
        }
    )
    write_csv(labels, raw / "train_labels.csv")
    for subject, value in zip(labels["BraTS21ID"], labels["MGMT_value"]):
        for series in SERIES:
            slice_number = rng.integers(1, 400)
            path = raw / "train" / subject / series / f"Image-{slice_number}.dcm"
            write_dicom(path, noise(rng, 80 + 80 * value, (4, 4)))
