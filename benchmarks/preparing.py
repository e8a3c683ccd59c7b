"""What preparing fifty thousand small pictures costs, as a ratio to copying them.

Pictures are placed by links; the original copies them file by file with `shutil.copy`. The whole
preparation is measured: tables, links, checks, manifest, and moving everything into place.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data.prepare import prepare
from mlebench.registry import Registry

COMPETITION = "petfinder-pawpularity-score"
LEAST_RATIO = 10.0
MOST_GROWTH = 0.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--bytes", type=int, default=20_000, help="of each picture")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        raw = work / "raw"
        make_raw(raw, options.files, options.bytes)
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
    return int(ratio < LEAST_RATIO or growth > MOST_GROWTH)


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
