"""Made-up raw data of Tabular Playground Series - Dec 2021."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

from .task import COVERS

MEASURES = {
    "Elevation": (2000, 2200),
    "Aspect": (-30, 390),
    "Slope": (0, 60),
    "Horizontal_Distance_To_Hydrology": (0, 1300),
    "Vertical_Distance_To_Hydrology": (-300, 600),
    "Horizontal_Distance_To_Roadways": (0, 7000),
    "Hillshade_9am": (100, 255),
    "Hillshade_Noon": (100, 255),
    "Hillshade_3pm": (0, 250),
    "Horizontal_Distance_To_Fire_Points": (0, 7000),
}
FLAGS = (
    *(f"Wilderness_Area{number}" for number in range(1, 5)),
    *(f"Soil_Type{number}" for number in range(1, 41)),
)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    covers = rng.choice(COVERS, rows, p=[0.3, 0.45, 0.06, 0.02, 0.02, 0.05, 0.1])
    plots = pd.DataFrame({"Id": range(rows)})
    for name, (low, high) in MEASURES.items():
        plots[name] = rng.integers(low, high, rows)
    plots["Elevation"] += 200 * covers
    flags = (rng.random((rows, len(FLAGS))) < 0.1).astype(int)
    plots = plots.join(pd.DataFrame(flags, columns=[*FLAGS]))
    write_csv(plots.assign(Cover_Type=covers), raw / "train.csv")
