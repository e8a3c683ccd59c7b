"""What preparing fifty thousand small pictures costs, as a ratio to copying them.

Pictures are placed by links; the original copies them file by file with `shutil.copy`. The whole
preparation is measured: tables, links, checks, manifest, and moving everything into place. Placing
alone is compared with a bare loop of `os.link`. It looks at each name and at the rights of each
file; the first time it also takes the right to write away, one more change on the disk for each
file, which nothing can make free.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data.prepare import prepare
from mlebench.preparing.bounds import bounded
from mlebench.preparing.files import place_all
from mlebench.registry import Registry

COMPETITION = "petfinder-pawpularity-score"
LEAST_RATIO = 10.0
MOST_GROWTH = 0.05
MOST_PLACING = 1.3
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--bytes", type=int, default=20_000, help="of each picture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        raw = work / "raw"
        make_raw(raw, options.files, options.bytes)
        linking, first, again = placing(raw / "train", work)
        before = disk_use(work)
        competition = Registry(work / "data", ()).get_competition(COMPETITION)
        started = time.perf_counter()
        prepare(competition, raw, skip_verification=True)
        preparing = time.perf_counter() - started
        growth = disk_use(work) / before - 1
        (target := work / "copies").mkdir()
        started = time.perf_counter()
        for path in (raw / "train").iterdir():
            shutil.copy(path, target)
        copying = time.perf_counter() - started
    ratio = copying / preparing
    print(f"{options.files:,} files of {options.bytes:,} bytes")
    print(
        f"preparing {preparing:.2f} s, copying {copying:.2f} s: {ratio:.1f} times faster "
        f"(at least {LEAST_RATIO:g})"
    )
    print(f"disk use grows by {growth:.1%} (at most {MOST_GROWTH:.0%})")
    print(
        f"bare links {linking:.2f} s; placing takes {again / linking:.2f} times as long (at most "
        f"{MOST_PLACING:g}), {first / linking:.2f} times where files are made read-only"
    )
    return int(ratio < LEAST_RATIO or growth > MOST_GROWTH or again > MOST_PLACING * linking)


def placing(folder: Path, work: Path) -> tuple[float, float, float]:
    """The least seconds of linking all files of a folder, placing them, and placing them again."""
    names = sorted(path.name for path in folder.iterdir())

    def link(target: Path) -> None:
        for name in names:
            os.link(f"{folder}/{name}", f"{target}/{name}")

    def put(target: Path) -> None:
        with bounded(folder, target, target, target):
            place_all(names, folder, target)

    seconds: list[tuple[float, ...]] = []
    for _ in range(ROUNDS):  # side by side, since disks have moods
        for name in names:
            (folder / name).chmod(0o644)
        seconds.append(tuple(timed(task, work / "placed") for task in (link, put, put)))
    linking, first, again = (min(column) for column in zip(*seconds, strict=True))
    return linking, first, again


def timed(task: Callable[[Path], None], target: Path) -> float:
    """How long it takes to fill a folder, which is gone afterwards."""
    target.mkdir()
    os.sync()  # what was done before must not be paid for here
    started = time.perf_counter()
    task(target)
    passed = time.perf_counter() - started
    shutil.rmtree(target)
    return passed


def make_raw(raw: Path, files: int, size: int) -> None:
    """Raw data of the competition with pictures of noise, which nobody looks at."""
    rng = np.random.default_rng(0)
    folder = raw / "train"
    folder.mkdir(parents=True)
    names = [rng.bytes(16).hex() for _ in range(files)]
    for name in names:
        (folder / f"{name}.jpg").write_bytes(rng.bytes(size))
    appeal = rng.integers(1, 101, files)
    pd.DataFrame({"Id": names, "Pawpularity": appeal}).to_csv(raw / "train.csv", index=False)


def disk_use(folder: Path) -> int:
    """The bytes that the files below a folder take, each counted once."""
    sizes = {}
    for path in folder.rglob("*"):
        status = path.stat()
        if path.is_file():
            sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


if __name__ == "__main__":
    raise SystemExit(main())
