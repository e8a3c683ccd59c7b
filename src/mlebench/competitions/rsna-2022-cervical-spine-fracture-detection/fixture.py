"""Made-up raw data of RSNA Cervical Spine Fracture Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import nifti_bytes, write_dicom
from mlebench.preparing.tables import write_csv

STUDIES, BOXED, SEGMENTED = 40, slice(0, 20), slice(10, 25)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    numbers = rng.permutation(10_000)[:STUDIES]
    studies = [f"1.2.826.0.1.3680043.{number}" for number in numbers]
    broken = (rng.random((STUDIES, 7)) < 0.15).astype(int)
    overall = broken.max(axis=1)
    train = pd.DataFrame({"StudyInstanceUID": studies, "patient_overall": overall})
    vertebrae = {f"C{number + 1}": broken[:, number] for number in range(7)}
    write_csv(train.assign(**vertebrae), raw / "train.csv")
    for study, is_broken in zip(studies, overall.tolist()):
        for slice_number in range(1, 3):
            path = raw / "train_images" / study / f"{slice_number}.dcm"
            write_dicom(path, noise(rng, 60 + 120 * is_broken, (8, 8)))
    boxed = np.repeat(rng.permutation(studies[BOXED]), 2)
    corners = dict(zip(("x", "y", "width", "height"), rng.uniform(1, 200, (4, len(boxed)))))
    boxes = pd.DataFrame({"StudyInstanceUID": boxed, **corners})
    write_csv(
        boxes.assign(slice_number=rng.integers(1, 3, len(boxed))), raw / "train_bounding_boxes.csv"
    )
    (raw / "segmentations").mkdir()
    for study in studies[SEGMENTED]:
        volume = rng.integers(0, 20, (4, 4, 4), dtype=np.uint8)
        (raw / "segmentations" / f"{study}.nii").write_bytes(nifti_bytes(volume))
