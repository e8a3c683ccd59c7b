"""Made-up raw data of UW-Madison GI Tract Image Segmentation."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import write_image
from mlebench.metrics.masks import encode, runs_of
from mlebench.preparing.tables import write_csv

HEIGHT, WIDTH, SLICES = 8, 10, 3
ORGANS = {"large_bowel": 1, "small_bowel": 2, "stomach": 3}
CASES = (2, 7, 9, 15, 20, 33, 44, 101, 117, 123, 149)
MANY_DAYS = {15: (0, 10, 2, 20, 30, 40), 20: (13, 0)}  # the others have these:
DAYS = (0, 19)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    row, column = np.mgrid[:HEIGHT, :WIDTH]
    table = []
    for case in CASES:
        for day in MANY_DAYS.get(case, DAYS):
            folder = raw / "train" / f"case{case}" / f"case{case}_day{day}" / "scans"
            for number in range(1, SLICES + 1):
                brightness = rng.normal(300, 20, (HEIGHT, WIDTH))
                for organ, place in ORGANS.items():
                    distance = np.hypot(row - rng.normal(4, 1), column - 2.5 * place)
                    is_organ = (distance < 1.7) & (rng.random() < 0.5)
                    brightness[is_organ] += 200 * place
                    code = encode(runs_of(is_organ.T))
                    table.append((f"case{case}_day{day}_slice_{number:04d}", organ, code))
                name = f"slice_{number:04d}_{WIDTH}_{HEIGHT}_1.50_1.50.png"
                write_image(folder / name, brightness.astype(np.uint16))
    write_csv(pd.DataFrame(table, columns=["id", "class", "segmentation"]), raw / "train.csv")
