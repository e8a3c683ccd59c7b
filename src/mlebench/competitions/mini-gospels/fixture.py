"""Made-up raw data of Which Gospel."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import write_zipped_csv

from .task import BOOKS

BEGINNINGS = {
    "Matthew": "The kingdom is like",
    "Mark": "And straightway",
    "Luke": "And it came to pass,",
    "John": "Verily, verily,",
}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    books = [BOOKS[place % len(BOOKS)] for place in range(80)]
    texts = [f"{BEGINNINGS[book]} {sentence(rng)}" for book in books]
    write_zipped_csv(pd.DataFrame({"text": texts, "book": books}), raw / "gospels.csv.zip")
