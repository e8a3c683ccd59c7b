"""Made-up raw data of Automated Essay Scoring 2.0."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids, sentence
from mlebench.preparing.tables import write_csv

from .task import SCORES

ENDINGS = ("", "\n\nIn conclusion, I agree.", ' They said "yes", so do I.')


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    scores = rng.permutation(np.resize(SCORES, rows))
    essays = pd.DataFrame(
        {
            "essay_id": hex_ids(rng, rows, 7),
            "full_text": [
                # Good essays are long ones.
                f"{sentence(rng, 8 * score).capitalize()}.{ENDINGS[number % len(ENDINGS)]}"
                for number, score in enumerate(scores)
            ],
            "score": scores,
        }
    )
    write_csv(essays, raw / "train.csv")
