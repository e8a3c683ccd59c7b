"""Made-up raw data of RANZCR CLiP."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import FINDINGS, KEY

ROOT = "1.2.826.0.1.3680043.8.498"
PATIENTS = 60


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    found = rng.random((rows, len(FINDINGS))) < 0.4
    studies = [f"{ROOT}.{rng.integers(10**17, 10**18)}" for _ in range(rows)]
    patients = rng.choice(hex_ids(rng, PATIENTS, 9), rows)
    images = pd.DataFrame(found.astype(int), columns=[*FINDINGS])
    images.insert(0, KEY, studies)
    write_csv(images.assign(PatientID=patients), raw / "train.csv")
    annotated = [
        (studies[row], FINDINGS[finding], str(rng.integers(0, 3000, (3, 2)).tolist()))
        for row, finding in np.argwhere(found)
        if row % 3 == 0
    ]
    annotations = pd.DataFrame(annotated, columns=[KEY, "label", "data"])
    write_csv(annotations.sample(frac=1, random_state=0), raw / "train_annotations.csv")
    for study, findings in zip(studies, found):
        pixels = noise(rng, 40, (2 * len(FINDINGS), 8))
        pixels[np.repeat(findings, 2)] += 120  # two bright lines for each finding
        write_image(raw / "train" / f"{study}.jpg", pixels)
