"""Made-up raw data of SIIM-FISABIO-RSNA COVID-19 Detection."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise
from mlebench.fixtures.scans import write_dicom
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import CLASS_OF_FINDING

STUDIES, SIDE = 100, 32


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    findings = rng.permutation(np.arange(STUDIES) % len(CLASS_OF_FINDING))
    studies = hex_ids(rng, STUDIES, 12)
    one_hot = np.eye(len(CLASS_OF_FINDING), dtype=int)[findings]
    table = pd.DataFrame(one_hot, columns=[*CLASS_OF_FINDING])
    table.insert(0, "id", [f"{study}_study" for study in studies])
    write_csv(table, raw / "train_study_level.csv")
    images = []
    for study, finding in zip(studies, findings):
        for image in hex_ids(rng, int(rng.integers(1, 3)), 12):
            pixels = noise(rng, 20 + 30 * finding, (SIDE, SIDE))
            boxes = [_opacity(rng, pixels) for _ in range(rng.integers(1, 3) * (finding > 0))]
            (series,) = hex_ids(rng, 1, 12)
            write_dicom(raw / "train" / study / series / f"{image}.dcm", pixels)
            images.append((f"{image}_image", _listed(boxes), _label(boxes), study))
    columns = ["id", "boxes", "label", "StudyInstanceUID"]
    write_csv(pd.DataFrame(images, columns=columns), raw / "train_image_level.csv")


def _opacity(rng: np.random.Generator, pixels: np.ndarray) -> dict[str, float]:
    """A bright rectangle."""
    width, height = rng.integers(5, 12, 2)
    x, y = rng.integers(0, SIDE - 12, 2)
    pixels[y : y + height, x : x + width] = 250
    return dict(zip(("x", "y", "width", "height"), map(float, (x, y, width, height))))


def _listed(boxes: list[dict[str, float]]) -> str:
    return str(boxes) if boxes else ""


def _label(boxes: list[dict[str, float]]) -> str:
    groups = [
        f"opacity 1 {box['x']:g} {box['y']:g} {box['x'] + box['width']:g} "
        f"{box['y'] + box['height']:g}"
        for box in boxes
    ]
    return " ".join(groups) or "none 1 0 0 1 1"
