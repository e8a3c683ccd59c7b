"""Made-up raw data of iNaturalist 2019."""

from pathlib import Path
from typing import Any

import numpy as np

from mlebench.fixtures.coco import LICENSE, info
from mlebench.fixtures.images import image_bytes, noise
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.archives import pack_tar
from mlebench.preparing.tables import write_json

# How many photographs there are of each species.
PHOTOS = {0: 20, 54: 9, 107: 5, 400: 4, 654: 30, 860: 2, 1009: 1}
GROUPS = ("Amphibians", "Birds", "Fungi", "Plants")
VALIDATION = 4


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    kinds = list(PHOTOS)
    species = rng.permutation(np.repeat(kinds, list(PHOTOS.values()))).tolist()
    species += kinds[:VALIDATION]
    ids = rng.permutation(300_000)[: len(species)].tolist()
    names = [
        f"train_val2019/{GROUPS[kind % 4]}/{kind}/{name}.jpg"
        for kind, name in zip(species, hex_ids(rng, len(species), 32))
    ]
    photos = list(zip(ids, names, species))
    write_json(metadata(photos[:-VALIDATION]), raw / "train2019.json")
    write_json(metadata(photos[-VALIDATION:]), raw / "val2019.json")
    files = {name: image_bytes(noise(rng, 35 * kinds.index(kind))) for _, name, kind in photos}
    pack_tar(raw / "train_val2019.tar.gz", files, mode="w:gz")


def metadata(photos: list[tuple[int, str, int]]) -> dict[str, Any]:
    return {
        "info": info(2019),
        "images": [
            {
                "id": number,
                "width": 8,
                "height": 8,
                "file_name": name,
                "license": LICENSE["id"],
                "rights_holder": "Nobody né",
            }
            for number, name, _ in photos
        ],
        "categories": [
            {
                "id": kind,
                "name": f"Species {kind}",
                "kingdom": "Vita",
                "phylum": "Phylum",
                "class": GROUPS[kind % 4],
                "order": "Order",
                "family": "Family",
                "genus": "Genus",
            }
            for kind in PHOTOS
        ],
        "annotations": [
            {"id": number, "image_id": number, "category_id": kind} for number, _, kind in photos
        ],
        "licenses": [LICENSE],
    }
