"""Made-up raw data of SIIM-ISIC Melanoma Classification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.fixtures.scans import write_dicom
from mlebench.preparing.tables import write_csv
from mlebench.preparing.tfrecords import make_example, write_records

SHARDS, PER_SHARD, STATED_COUNT = 8, 10, 2071
SITES = ("torso", "head/neck", "lower extremity", "")
DIAGNOSES = np.array([["unknown", "benign"], ["melanoma", "malignant"]])


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = SHARDS * PER_SHARD
    target = rng.permutation(np.arange(rows) % 4 == 0).astype(int)
    lesions = pd.DataFrame(
        {
            "image_name": [f"ISIC_{number:07d}" for number in rng.permutation(10**6)[:rows]],
            "patient_id": [f"IP_{number:07d}" for number in rng.integers(100, 130, rows)],
            "sex": rng.choice(["male", "female", ""], rows, p=[0.45, 0.45, 0.1]),
            "age_approx": rng.choice([35.0, 45.0, 60.0, np.nan], rows),
            "anatom_site_general_challenge": rng.choice(SITES, rows),
            "diagnosis": DIAGNOSES[target, 0],
            "benign_malignant": DIAGNOSES[target, 1],
            "target": target,
        }
    )
    write_csv(lesions, raw / "train.csv")
    (raw / "jpeg" / "train").mkdir(parents=True)
    records = []
    for name, label in zip(lesions["image_name"], target):
        pixels = noise(rng, 190 - 90 * label)
        jpeg = image_bytes(pixels)
        (raw / "jpeg" / "train" / f"{name}.jpg").write_bytes(jpeg)
        write_dicom(raw / "train" / f"{name}.dcm", pixels[..., 0])
        features = {"image": jpeg, "image_name": name.encode(), "target": int(label)}
        records.append(make_example(features))
    order = rng.permutation(rows).reshape(SHARDS, PER_SHARD)
    for number, members in enumerate(order):
        # The names of the test shards are fixed, whatever is in them.
        shard = raw / "tfrecords" / f"train{number:02d}-{STATED_COUNT}.tfrec"
        write_records(shard, [records[member] for member in members])
