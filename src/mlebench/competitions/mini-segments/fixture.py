"""Made-up raw data of Segments of Pictures."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv

from .task import CATEGORIES


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 140
    category = np.arange(rows) % len(CATEGORIES)
    colours = 20 * category[:, None] + rng.normal(0, 4, (rows, 3)).round(3)
    segments = pd.DataFrame(
        {
            "region_centroid_col": rng.integers(1, 255, rows),
            "region_centroid_row": rng.integers(10, 250, rows),
            "short_line_density_5": 0.0,
            "short_line_density_2": 0.0,
            **{
                name: rng.gamma(1, 2, rows).round(4)
                for name in ("vedge_mean", "vedge_sd", "hedge_mean", "hedge_sd")
            },
            "intensity_mean": colours.mean(axis=1).round(4),
            **dict(zip(("rawred_mean", "rawblue_mean", "rawgreen_mean"), colours.T)),
            **dict(zip(("exred_mean", "exblue_mean", "exgreen_mean"), 2 * colours.T - 90)),
            "value_mean": colours.max(axis=1),
            "saturation_mean": rng.random(rows).round(4),
            "hue_mean": rng.uniform(-3, 3, rows).round(4),
            "category": [CATEGORIES[place] for place in category],
        }
    )
    write_zipped_csv(segments, raw / "segments.csv.zip")
