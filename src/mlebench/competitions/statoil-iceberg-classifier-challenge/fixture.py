"""Made-up raw data of the Statoil/C-CORE Iceberg Classifier Challenge."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from mlebench.fixtures.words import hex_ids
from mlebench.preparing.archives import pack_7z

SIDE = 5


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    train_ids, test_ids = np.split(np.array(hex_ids(rng, 70, 8)), [60])
    train = [_target(rng, name, is_iceberg=place % 2) for place, name in enumerate(train_ids)]
    test = [_target(rng, name, is_iceberg=0) for name in test_ids]
    for target in test:
        del target["is_iceberg"]
    sample = "id,is_iceberg\n" + "".join(f"{name},0.5\n" for name in test_ids)
    for name, content in (
        ("data/processed/train.json", json.dumps(train)),
        ("data/processed/test.json", json.dumps(test)),
        ("sample_submission.csv", sample),
    ):
        pack_7z(raw / f"{Path(name).name}.7z", {name: content})


def _target(rng: np.random.Generator, name: str, is_iceberg: int) -> dict[str, Any]:
    """A bright spot on the dark sea; icebergs are the brighter ones."""
    bands = rng.normal(-22, 2, (2, SIDE, SIDE))
    bands[:, 1:-1, 1:-1] += 6 + 8 * is_iceberg
    return {
        "id": str(name),
        "band_1": bands[0].round(6).ravel().tolist(),
        "band_2": bands[1].round(6).ravel().tolist(),
        "inc_angle": "na" if rng.random() < 0.2 else round(rng.uniform(30, 45), 4),
        "is_iceberg": is_iceberg,
    }
