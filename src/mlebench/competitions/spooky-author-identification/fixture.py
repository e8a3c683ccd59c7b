"""Made-up raw data of Spooky Author Identification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.archives import pack

from .task import AUTHORS


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    phrases = {
        "EAP": ("the raven", 'he said, "nevermore"', "a beating heart", "the pendulum fell"),
        "HPL": (
            "the nameless city",
            "an eldritch sea",
            "cyclopean, dripping stone",
            "Arkham slept",
        ),
        "MWS": ("my creature", "the alpine ice", "a spark of life", "Geneva, my home"),
    }
    authors = rng.choice(AUTHORS, rows)
    table = pd.DataFrame(
        {
            "id": [f"id{number:05d}" for number in rng.permutation(90_000)[:rows]],
            "text": [" and ".join(rng.choice(phrases[author], 2)) + "." for author in authors],
            "author": authors,
        }
    )
    pack(raw / "train.zip", {"train.csv": table.to_csv(index=False)})
