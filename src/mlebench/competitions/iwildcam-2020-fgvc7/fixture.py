"""Made-up raw data of iWildCam 2020."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.coco import info
from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_json

from .task import DETECTIONS, TEST, TRAIN

ANIMALS = {0: "empty", 24: "aepyceros melampus", 317: "canis familiaris", 675: "bos taurus"}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    locations = rng.permutation(np.repeat(np.arange(20), 1 + np.arange(20) % 7)).tolist()
    ids = hex_ids(rng, len(locations), 32)
    images = [
        {
            "seq_num_frames": 1,
            "location": location,
            "datetime": f"2013-06-05 {number % 24:02d}:44:19.000",
            "frame_num": 0,
            "seq_id": f"{name}-0",
            "width": 8,
            "height": 8,
            "file_name": f"{name}.jpg",
            "id": name,
        }
        for number, (name, location) in enumerate(zip(ids, locations))
    ]
    kinds = rng.choice(list(ANIMALS), len(ids)).tolist()
    for name, kind in zip(ids, kinds):
        pixels = noise(rng, 80 * list(ANIMALS).index(kind))
        write_image(raw / "train" / f"{name}.jpg", pixels)
    # Some images show a second animal.
    seen = [*zip(ids, kinds), *((name, 317) for name, kind in zip(ids[:12], kinds) if kind != 317)]
    annotations = [
        {"count": 1, "image_id": seen[place][0], "id": f"a{place}", "category_id": seen[place][1]}
        for place in rng.permutation(len(seen)).tolist()
    ]
    del annotations[5]["count"]
    names = [{"id": kind, "name": name} for kind, name in ANIMALS.items()]
    counted = [entry | {"count": kinds.count(entry["id"])} for entry in names]
    write_json(
        {"annotations": annotations, "images": images, "categories": counted, "info": info(2020)},
        raw / TRAIN,
    )
    write_json({"images": [], "categories": names, "info": info(2020)}, raw / TEST)
    found = [{"id": name, "max_detection_conf": 0.0, "detections": []} for name in ids]
    write_json({"images": found, "info": {}}, raw / DETECTIONS)
