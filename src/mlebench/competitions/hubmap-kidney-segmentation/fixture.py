"""Made-up raw data of HuBMAP - Hacking the Kidney."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.fixtures.words import hex_ids
from mlebench.metrics.masks import encode, runs_of
from mlebench.preparing.tables import write_csv, write_json

from .task import INFORMATION, OUTLINES, PICTURE, STRUCTURES

IMAGES, HIDDEN = 15, 5
RADIUS = 3


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    ids = hex_ids(rng, IMAGES + HIDDEN, 9)
    sizes = rng.integers(16, 28, (len(ids), 2))
    masks = {}
    for name, (width, height) in zip(ids[:IMAGES], sizes):
        row, column = np.mgrid[:height, :width]
        center = (int(rng.integers(4, width - 4)), int(rng.integers(4, height - 4)))
        is_glomerulus = np.hypot(column - center[0], row - center[1]) <= RADIUS
        masks[name] = encode(runs_of(is_glomerulus.T))
        picture = noise(rng, 160, (height, width, 3))
        picture[is_glomerulus] //= 2
        write_image(raw / "train" / f"{name}{PICTURE}", picture)
        corners = [(0, 0), (0, int(height)), (int(width), int(height)), (int(width), 0)]
        write_json(_polygon("Cortex", corners), raw / "train" / f"{name}{STRUCTURES}")
        across = [(x + center[0], y + center[1]) for x, y in ((-3, 0), (0, 3), (3, 0), (0, -3))]
        write_json(_polygon("glomerulus", across), raw / "train" / f"{name}{OUTLINES}")
    write_csv(pd.DataFrame({"id": masks.keys(), "encoding": masks.values()}), raw / "train.csv")
    sections = pd.DataFrame(
        {
            "image_file": [f"{name}{PICTURE}" for name in ids],
            "width_pixels": sizes[:, 0],
            "height_pixels": sizes[:, 1],
            "anatomical_structures_segmention_file": [f"{name}{STRUCTURES}" for name in ids],
            "glomerulus_segmentation_file": [f"{name}{OUTLINES}" for name in ids],
            "patient_number": rng.integers(60_000, 70_000, len(ids)),
            "race": rng.choice(["White", "Black, African American"], len(ids)),
            "ethnicity": "Not Hispanic or Latino",
            "sex": rng.choice(["Male", "Female"], len(ids)),
            "age": np.where(np.arange(len(ids)) % 6 == 5, np.nan, rng.integers(20, 80, len(ids))),
            "weight_kilograms": rng.normal(80, 10, len(ids)).round(1),
            "height_centimeters": rng.normal(170, 8, len(ids)).round(1),
            "bmi_kg/m^2": rng.normal(27, 3, len(ids)).round(2),
            "laterality": rng.choice(["Left", "Right"], len(ids)),
            "percent_cortex": rng.integers(50, 80, len(ids)),
            "percent_medulla": rng.integers(20, 50, len(ids)),
        }
    )
    write_csv(sections.iloc[rng.permutation(len(sections))], raw / INFORMATION)


def _polygon(name: str, points: list[tuple[int, int]]) -> list[dict[str, object]]:
    return [
        {
            "type": "Feature",
            "id": "PathAnnotationObject",
            "geometry": {"type": "Polygon", "coordinates": [points]},
            "properties": {"classification": {"name": name, "colorRGB": -3140401}},
        }
    ]
