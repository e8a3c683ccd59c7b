"""Made-up raw data of Cdiscount's Image Classification Challenge."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import image_bytes, noise
from mlebench.preparing.bson import make_document, write_documents
from mlebench.preparing.tables import write_csv

from .task import EXAMPLES, GUESS, KEY, TARGET

NAMES = {
    GUESS: ("TELEPHONIE - GPS", "ACCESSOIRE TELEPHONE", "COQUE TELEPHONE"),
    1000008245: ("ÉPICERIE", "BOISSONS, SIROPS", "SIROP"),
    1000022347: ("LIBRAIRIE", "LITTERATURE", "ROMANS"),
    1000000227: ("BIJOUX", "BAGUE - ALLIANCE", "BAGUE"),
}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 150
    # Some ids need more than four bytes.
    ids = (rng.permutation(10_000)[:rows] + 2**31 * (np.arange(rows) % 10 == 0)).tolist()
    categories = rng.choice(list(NAMES), rows).tolist()
    documents = []
    for number, category in zip(ids, categories):
        brightness = 70 * list(NAMES).index(category)
        pictures = [
            {"picture": image_bytes(noise(rng, brightness))} for _ in range(rng.integers(1, 5))
        ]
        documents.append(make_document({KEY: number, TARGET: category, "imgs": pictures}))
    write_documents(raw / "train.bson", documents)
    write_documents(raw / "train_example.bson", documents[:EXAMPLES])
    levels = [f"category_level{level}" for level in (1, 2, 3)]
    names = pd.DataFrame.from_dict(NAMES, orient="index", columns=levels)
    write_csv(names.reset_index(names=TARGET), raw / "category_names.csv")
