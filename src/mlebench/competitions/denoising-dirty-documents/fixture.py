"""Made-up raw data of Denoising Dirty Documents."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.images import image_bytes
from mlebench.preparing.archives import pack

from .task import CLEAN, DIRTY

# In the order of texts 101 comes before 11, and 11 before 2.
PAGES = (1, 2, 3, 5, 8, 10, 11, 14, 23, 32, 77, 85, 101, 110, 210)
SIZES = ((3, 4), (4, 4))
TEXTS = 12  # the last pages repeat the first ones under other stains
COLOURED = 14


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    texts = [
        np.where(rng.random(SIZES[number % 2]) < 0.3, 30, 255).astype(np.uint8)
        for number in range(TEXTS)
    ]
    dirty, clean = {}, {}
    for number, page in enumerate(PAGES):
        text = texts[number % TEXTS]
        stained = (text * rng.uniform(0.5, 0.9, text.shape)).astype(np.uint8)
        dirty[f"{DIRTY}/{page}.png"] = image_bytes(stained, "png")
        shown = np.stack([text] * 3, axis=2) if page == COLOURED else text
        clean[f"{CLEAN}/{page}.png"] = image_bytes(shown, "png")
    pack(raw / f"{DIRTY}.zip", dirty)
    pack(raw / f"{CLEAN}.zip", clean)
