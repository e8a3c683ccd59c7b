"""Made-up raw data of mine."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    """Write tiny raw data with the schema of the real ones."""
    rng = np.random.default_rng(0)
    feature = rng.normal(size=100).round(3)
    table = pd.DataFrame({"id": range(100), "feature": feature, "value": 2 * feature + 1})
    write_csv(table, raw / "train.csv")
