"""Made-up photographs: four of each light."""

from pathlib import Path

import pandas as pd
from PIL import Image

from mlebench.preparing.tables import write_csv

from .task import LIGHTS

COLOURS = {"red": (220, 20, 30), "amber": (250, 190, 0), "green": (20, 170, 60)}


def fixture(raw: Path) -> None:
    """Write images of one colour each."""
    labels = pd.DataFrame(
        {"file": [f"{number:02}.png" for number in range(12)], "light": [*LIGHTS] * 4}
    )
    write_csv(labels, raw / "lights.csv")
    (raw / "images").mkdir()
    for file, light in labels.itertuples(index=False):
        Image.new("RGB", (6, 6), COLOURS[light]).save(raw / "images" / file)
