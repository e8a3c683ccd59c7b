"""Made-up raw data of RSNA Screening Mammography."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import write_dicom
from mlebench.preparing.tables import write_csv

# Numbers of several lengths, whose order as texts is another one.
PATIENTS = (*range(5, 20), *range(995, 1010), *range(99_995, 100_005))
IMAGES = 4  # of each patient: two views of two breasts


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    patients, rows = len(PATIENTS), IMAGES * len(PATIENTS)
    cancer = np.repeat(rng.permutation(np.arange(rows // 2) % 3 == 0).astype(int), 2)
    images = pd.DataFrame(
        {
            "site_id": np.repeat(rng.integers(1, 3, patients), IMAGES),
            "patient_id": np.repeat(rng.permutation(PATIENTS), IMAGES),
            "image_id": rng.permutation(10**6)[:rows],
            "laterality": np.resize(["L", "L", "R", "R"], rows),
            "view": np.resize(["CC", "MLO"], rows),
            "age": _with_gaps(rng, np.repeat(rng.integers(40, 80, patients), IMAGES)),
            "cancer": cancer,
            "biopsy": cancer,
            "invasive": cancer * rng.integers(0, 2, rows),
            "BIRADS": _with_gaps(rng, 1 - cancer),
            "implant": 0,
            "density": _with_gaps(rng, rng.choice(list("ABCD"), rows)),
            "machine_id": np.repeat(rng.integers(20, 220, patients), IMAGES),
            "difficult_negative_case": (cancer == 0) & (rng.random(rows) < 0.2),
        }
    )
    write_csv(images, raw / "train.csv")
    names = zip(images["patient_id"], images["image_id"], images["cancer"])
    for patient, image, is_cancer in names:
        path = raw / "train_images" / str(patient) / f"{image}.dcm"
        write_dicom(path, noise(rng, 60 + 120 * is_cancer, (8, 8)))


def _with_gaps(rng: np.random.Generator, values: np.ndarray) -> pd.Series:
    """The values as a column from which every tenth is missing."""
    return pd.Series(values).mask(rng.random(len(values)) < 0.1)
