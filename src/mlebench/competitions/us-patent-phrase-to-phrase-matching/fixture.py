"""Made-up raw data of U.S. Patent Phrase to Phrase Matching."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    anchors = ("gear housing", "fuel nozzle", "signal filter", "metal coating", "valve seat")
    targets = {
        1.0: "the {0} {1}s",
        0.75: "{1} of the {0}",
        0.5: "{1}",
        0.25: '{0} "part", other',
        0.0: "woven shoe",
    }
    anchor, scores = rng.choice(anchors, rows), rng.choice([*targets], rows)
    pairs = pd.DataFrame(
        {
            "id": [rng.bytes(8).hex() for _ in range(rows)],
            "anchor": anchor,
            "target": [targets[level].format(*text.split()) for text, level in zip(anchor, scores)],
            "context": rng.choice(["A47", "B60", "F02", "H04"], rows),
            "score": scores,
        }
    )
    write_csv(pairs, raw / "train.csv")
