"""Made-up raw data of Herbarium 2020."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.images import noise, write_image
from mlebench.preparing.tables import write_json

# How many sheets there are of each species.
SHEETS = {0: 11, 7: 1, 42: 2, 314: 4, 5_099: 5, 10_204: 8, 32_093: 12}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    folder = raw / "nybg2020" / "train"
    species = rng.permutation(np.repeat(list(SHEETS), list(SHEETS.values()))).tolist()
    numbers = rng.permutation(100_000)[: len(species)].tolist()
    names = [
        f"images/{kind // 100:03d}/{kind % 100:02d}/{number}.jpg"
        for kind, number in zip(species, numbers)
    ]
    metadata = {
        "annotations": [
            {"id": number, "image_id": number, "category_id": kind, "region_id": number % 3}
            for number, kind in zip(numbers, species)
        ],
        "images": [
            {"id": number, "width": 8, "height": 8, "file_name": name, "license": 1}
            for number, name in zip(numbers, names)
        ],
        "categories": [
            {"id": kind, "name": f"Planta n\xba{kind}", "family": "Plantaceae", "genus": "Planta"}
            for kind in SHEETS
        ],
        "licenses": [{"id": 1, "name": "CC BY 4.0", "url": "https://example.org/by"}],
        "regions": [{"id": number, "name": f"Region {number}"} for number in range(3)],
        "info": {
            "year": 2020,
            "version": "1.0",
            "url": "https://example.org",
            "description": "made up",
            "contributor": "nobody",
            "date_created": "2020-03-01",
        },
    }
    write_json(metadata, folder / "metadata.json")
    for name, kind in zip(names, species):
        write_image(folder / name, noise(rng, 30 * list(SHEETS).index(kind)))
