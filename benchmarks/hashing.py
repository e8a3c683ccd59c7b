"""What checking costs: md5 sums as a ratio to bare reading, contents to Arrow's bare parse.

The machine is noisy, so the rounds of both sides alternate and the fastest of each counts. Both use
all cores, of which a busy machine leaves the longer one fewer; the work of the processors, shown
beside the time, depends less on that.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow.csv as arrow_csv

from mlebench.data.checksums import file_digest
from mlebench.data.content import content_of

MOST_FOR_CONTENT = 3.0
BLOCK = 2**20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = make_table(Path(folder) / "table.csv", options.rows)
        print(f"{options.rows:,} rows of 8 columns, {path.stat().st_size:,} bytes")
        sums = ratios(lambda: file_digest(path), lambda: read(path), options.rounds)
        contents = ratios(
            lambda: content_of(path), lambda: arrow_csv.read_csv(path), options.rounds
        )
    print(f"file_digest {sums.time:5.2f} x reading the file, {sums.work:.2f} x the work")
    print(
        f"content_of  {contents.time:5.2f} x Arrow's parse (limit {MOST_FOR_CONTENT:g}), "
        f"{contents.work:.2f} x the work"
    )
    return int(contents.time > MOST_FOR_CONTENT)


def make_table(path: Path, rows: int) -> Path:
    """A csv with the usual mixture: ids, measurements, counts, words."""
    rng = np.random.default_rng(0)
    table = {
        "id": np.arange(rows),
        "x": rng.normal(size=rows),
        "y": rng.normal(size=rows).round(3),
        "z": rng.normal(size=rows),
        "count": rng.integers(0, 100, rows),
        "colour": rng.choice(["red", "green", "blue"], rows),
        "name": [f"row {number}" for number in range(rows)],
        "target": rng.integers(0, 2, rows),
    }
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def read(path: Path) -> None:
    with path.open("rb") as file:
        while file.read(BLOCK):
            pass


class Ratios(NamedTuple):
    """How much more one function takes than another."""

    time: float
    work: float


def ratios(ours: Callable[[], object], bare: Callable[[], object], rounds: int) -> Ratios:
    times: dict[Callable[[], object], list[float]] = {ours: [], bare: []}
    works: dict[Callable[[], object], list[float]] = {ours: [], bare: []}
    for _ in range(rounds):
        for function in (ours, bare):
            began, worked = time.perf_counter(), time.process_time()
            function()
            times[function].append(time.perf_counter() - began)
            works[function].append(time.process_time() - worked)
    return Ratios(min(times[ours]) / min(times[bare]), min(works[ours]) / min(works[bare]))


if __name__ == "__main__":
    raise SystemExit(main())
