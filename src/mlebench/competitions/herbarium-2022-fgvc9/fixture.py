"""Made-up raw data of Herbarium 2022."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.coco import LICENSE
from mlebench.fixtures.herbaria import write_sheets
from mlebench.preparing.tables import write_json

from .task import train_name

# How many sheets there are of each species.
SHEETS = {3: 12, 7: 5, 42: 7, 120: 2, 4_321: 3, 15_504: 21}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    numbered = [(kind, number) for kind, count in SHEETS.items() for number in range(count)]
    sheets = [numbered[place] for place in rng.permutation(len(numbered))]
    names = [train_name(kind, number) for kind, number in sheets]
    metadata = {
        "annotations": [
            {
                "genus_id": kind % 3,
                "institution_id": number % 2,
                "category_id": kind,
                "image_id": name,
            }
            for (kind, number), (name, _) in zip(sheets, names)
        ],
        "images": [
            {"image_id": name, "file_name": file_name, "license": LICENSE["id"]}
            for name, file_name in names
        ],
        "categories": [
            {
                "category_id": kind,
                "scientificName": f"Planta herbacea var. {kind}",
                "family": "Plantaceae",
                "genus": f"Planta{kind % 3}",
                "species": "herbacea",
                "authors": "Müll.",
            }
            for kind in SHEETS
        ],
        "genera": [{"genus_id": number, "genus": f"Planta{number}"} for number in range(3)],
        "distances": [
            {"genus_id_x": first, "genus_id_y": second, "distance": 0.25}
            for first, second in ((0, 1), (0, 2), (1, 2))
        ],
        "institutions": [
            {"institution_id": number, "collectionCode": f"H{number}"} for number in range(2)
        ],
        "licenses": [LICENSE],
    }
    write_json(metadata, raw / "train_metadata.json")
    write_sheets(
        rng, raw / "train_images", [(name, kind) for (kind, _), (_, name) in zip(sheets, names)]
    )
