"""Made-up raw data of Kuzushiji Recognition."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import write_csv

CHARACTERS = "はがいの一"
HEIGHT, WIDTH = 80, 60


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    books = 100_000_000 + rng.permutation(10_000)[:100]
    names = [f"{book}_{page:05d}_{page % 2 + 1}" for page, book in enumerate(books)]
    labels, files = [], {}
    for name in names:
        pixels = noise(rng, 230, (HEIGHT, WIDTH))
        boxes = [_character(rng, pixels) for _ in range(rng.integers(3, 6))]
        if rng.random() < 0.3:  # the same character nearly at the same place
            code, x, y, width, height = boxes[0]
            boxes.append((code, x + 1, y + 1, width + 3, height + 2))
        labels.append(" ".join(str(value) for box in boxes for value in box))
        files[f"{name}.jpg"] = image_bytes(pixels)
    write_csv(pd.DataFrame({"image_id": names, "labels": labels}), raw / "train.csv")
    pack(raw / "train_images.zip", files)
    codes = [f"U+{ord(character):04X}" for character in CHARACTERS]
    translation = pd.DataFrame({"Unicode": codes, "char": [*CHARACTERS]})
    write_csv(translation, raw / "unicode_translation.csv")


def _character(rng: np.random.Generator, pixels: np.ndarray) -> tuple[str, int, int, int, int]:
    """A box, painted as dark as its character says."""
    number = int(rng.integers(len(CHARACTERS)))
    width, height = (int(size) for size in rng.integers(3, 15, 2))
    x, y = int(rng.integers(WIDTH - width)), int(rng.integers(HEIGHT - height))
    pixels[y : y + height, x : x + width] = noise(rng, 30 * number, (height, width))
    return f"U+{ord(CHARACTERS[number]):04X}", x, y, width, height
