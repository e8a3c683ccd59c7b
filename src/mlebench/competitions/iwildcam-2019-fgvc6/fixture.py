"""Made-up raw data of iWildCam 2019."""

from pathlib import Path
from uuid import UUID

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import write_csv

SEEN = (0, 1, 8, 11, 16)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    ids = [str(UUID(bytes=rng.bytes(16), version=4)) for _ in range(rows)]
    kinds = rng.choice(SEEN, rows)
    photos = pd.DataFrame(
        {
            "category_id": kinds,
            "date_captured": [f"2011-05-13 {number % 24:02d}:43:18" for number in range(rows)],
            "file_name": [f"{name}.jpg" for name in ids],
            "frame_num": rng.integers(1, 4, rows),
            "id": ids,
            "location": rng.integers(0, 20, rows) * 7,
            "rights_holder": rng.choice(["Nobody", "Somebody, Else"], rows),
            "seq_id": ids,
            "seq_num_frames": 3,
            "width": 8,
            "height": 8,
        }
    )
    # Every eighth photograph shows a dog, too, and has a second row further down.
    second = photos[::8].assign(category_id=18)
    write_csv(pd.concat([photos, second]), raw / "train.csv")
    pack(
        raw / "train_images.zip",
        {
            f"{name}.jpg": image_bytes(noise(rng, 50 * SEEN.index(kind)))
            for name, kind in zip(ids, kinds)
        },
    )
