"""Made-up raw data of Identify Contrails."""

from pathlib import Path

import numpy as np

from mlebench.preparing.tables import write_json

from .task import BANDS, LABELS

HEIGHT, WIDTH, FRAMES, LABELLED = 7, 9, 8, 4
ANNOTATORS = 2
RECORDS = {"train": 20, "validation": 4}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    for part, count in RECORDS.items():
        names = [str(number) for number in rng.integers(10**18, 9 * 10**18, count)]
        for number, name in enumerate(names):
            _write_record(
                rng, raw / part / name, is_clear=number % 4 == 3, is_train=part == "train"
            )
        metadata = [
            {
                "record_id": name,
                "row_min": float(rng.uniform(-5e6, 5e6)),
                "row_size": 2004.0173154875,
                "col_min": float(rng.uniform(-5e6, 5e6)),
                "col_size": 2004.0173154875,
                "timestamp": float(rng.integers(1_550_000_000, 1_560_000_000)),
                "projection_wkt": 'PROJCRS["unnamed"]',
            }
            for name in names
        ]
        write_json(metadata, raw / f"{part}_metadata.json", indent=1)


def _write_record(rng: np.random.Generator, folder: Path, is_clear: bool, is_train: bool) -> None:
    """A straight trail, colder than the air around it, unless the sky is clear."""
    row, column = np.mgrid[:HEIGHT, :WIDTH]
    slope, place = rng.uniform(-1, 1), rng.uniform(2, HEIGHT - 2)
    is_contrail = (np.abs(row - place - slope * (column - WIDTH / 2)) < 0.8) & (not is_clear)
    folder.mkdir(parents=True)
    for band in BANDS:
        warmth = rng.normal(270, 2, (HEIGHT, WIDTH, FRAMES))
        warmth[:, :, LABELLED] -= 20 * is_contrail
        np.save(folder / band, warmth.astype(np.float32))
    marked = is_contrail[:, :, None].astype(np.int32)
    individual, agreed = LABELS
    np.save(folder / agreed, marked)
    if is_train:
        np.save(folder / individual, np.repeat(marked[..., None], ANNOTATORS, axis=3))
