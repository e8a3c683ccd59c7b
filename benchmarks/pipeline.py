"""What preparing several competitions side by side saves, as a ratio to one after the other.

Eight competitions of own making are downloaded from an imitation of Kaggle that hands out so many
bytes a second to each of its clients, so that a download takes about as long as preparing. Side by
side, some download while others are at work.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from tests.helpers import add_competition
from tests.kaggle_server import TOKEN, Kaggle, serve_kaggle

from mlebench.data.kaggle import API_VARIABLE
from mlebench.data.many import prepare_many
from mlebench.data.prepare import prepare
from mlebench.preparing.archives import pack
from mlebench.registry import Registry

JOBS = 2
MOST_RATIO = 0.65


class Unseen:
    """Watches nothing."""

    def stage(self, competition_id: str, name: str) -> None:
        """Not of interest."""

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        """Not of interest."""

    def end(self, competition_id: str) -> None:
        """Not of interest."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--competitions", type=int, default=8)
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serve_kaggle() as kaggle:
        os.environ |= {API_VARIABLE: kaggle.api, "KAGGLE_API_TOKEN": TOKEN}
        work = Path(folder)
        names = [f"task-{number}" for number in range(options.competitions)]
        archive = make_archive(work, options.rows)
        for name in names:
            add_competition(work / "competitions", name)
            kaggle.archives[name] = archive
        speed = fitting_speed(work, kaggle, names[0])
        kaggle.storage.bytes_per_second = speed
        in_turn = one_after_the_other(work, names)
        at_once = side_by_side(work, names)
    ratio = at_once / in_turn
    print(f"{len(names)} competitions of {options.rows:,} rows, {speed / 1e6:.2f} MB/s")
    print(
        f"one after the other {in_turn:.1f} s, side by side {at_once:.1f} s: ratio {ratio:.2f} "
        f"(at most {MOST_RATIO:g})"
    )
    return int(ratio > MOST_RATIO)


def make_archive(work: Path, rows: int) -> Path:
    """A zip of one table of noise, which hardly gets smaller by packing."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(rows, 6)), columns=[f"feature_{k}" for k in range(6)])
    table.insert(0, "id", range(rows))
    table["value"] = table["feature_0"] + rng.normal(size=rows)
    table.to_csv(work / "train.csv", index=False)
    pack(work / "archive.zip", {"train.csv": work / "train.csv"})
    return work / "archive.zip"


def fitting_speed(work: Path, kaggle: Kaggle, name: str) -> float:
    """The bytes a second with which a download takes as long as preparing does here."""
    competition = Registry(work / "tried", [work / "competitions"]).get_competition(name)
    archive = kaggle.archives[name]
    prepare(competition, archive)  # what is loaded only once must not count
    started = time.perf_counter()
    prepare(competition, archive, force=True)
    return archive.stat().st_size / (time.perf_counter() - started)


def one_after_the_other(work: Path, names: list[str]) -> float:
    registry = Registry(work / "in turn", [work / "competitions"])
    started = time.perf_counter()
    for name in names:
        prepare(registry.get_competition(name))
    return time.perf_counter() - started


def side_by_side(work: Path, names: list[str]) -> float:
    registry = Registry(work / "at once", [work / "competitions"])
    started = time.perf_counter()
    sources = dict.fromkeys(names)
    results = [*prepare_many(sources, registry, {}, jobs=JOBS, observer=Unseen())]
    seconds = time.perf_counter() - started
    if failed := [result for result in results if result.exit_code]:
        raise SystemExit(f"not all were prepared: {failed[0].detail}")
    return seconds


if __name__ == "__main__":
    raise SystemExit(main())
