"""Made-up raw data of Cassava Leaf Disease Classification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.tables import write_csv, write_json
from mlebench.preparing.tfrecords import make_example, write_records

from .task import LABELS

SHARDS, PER_SHARD = 12, 6
DISEASES = ("Bacterial Blight", "Brown Streak Disease", "Green Mottle", "Mosaic Disease", "Healthy")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = SHARDS * PER_SHARD
    photos = pd.DataFrame(
        {
            "image_id": [f"{number}.jpg" for number in 10**9 + rng.permutation(10**6)[:rows]],
            "label": rng.permutation(np.resize(LABELS, rows)),
        }
    )
    write_csv(photos, raw / "train.csv")
    (raw / "train_images").mkdir()
    records = []
    for name, label in zip(photos["image_id"], photos["label"]):
        jpeg = image_bytes(noise(rng, 40 + 40 * label))
        (raw / "train_images" / name).write_bytes(jpeg)
        features = {"image": jpeg, "image_name": name.encode(), "target": int(label)}
        records.append(make_example(features))
    order = rng.permutation(rows).reshape(SHARDS, PER_SHARD)
    for number, members in enumerate(order):
        shard = raw / "train_tfrecords" / f"ld_train{number:02d}-{PER_SHARD}.tfrec"
        write_records(shard, [records[member] for member in members])
    diseases = {str(label): f"Cassava {name}" for label, name in zip(LABELS, DISEASES)}
    write_json(diseases, raw / "label_num_to_disease_map.json")
