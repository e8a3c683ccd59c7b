"""What heavy graders cost at the size of the real test sets.

For each case two files are made up, and a process of its own reads and grades them several
times. Shown are the seconds of the first and of the fastest time, the limit for the latter,
and the seconds that the processors spent on it, which count where others use them, too; the
memory that the first time took beyond what the loaded libraries take, also as a multiple of
the tables that were read (at most three, unless they are so small that libraries count for
more); and the ratio to reading the same two files with pyarrow.

``python -m benchmarks.graders`` measures all cases, ``… graders tgs uw`` those whose names
begin like that.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow.csv
from benchmarks import full_size
from benchmarks.full_size import ANSWERS, JSON_ANSWERS, SUBMISSION, write_quickly, write_tables

from mlebench.metrics.masks import Masks, encode, unions
from mlebench.registry import registry
from mlebench.registry.task import Task

ROUNDS = 3
MEGABYTE = 1e6
LOOK_SECONDS = 0.002  # between two looks at the memory
MOST_MEMORY = 3  # times the tables
SMALL_TABLES = 50 * MEGABYTE
LIBRARIES = ("mlebench.submission", "scipy.spatial", "scipy.optimize", "shapely")


class Case(NamedTuple):
    """A competition, files of its real size, and how long grading may take."""

    name: str
    competition: str
    write: Callable[[Path, np.random.Generator], None]
    limit: float = float("inf")


# Masks


class Discs(NamedTuple):
    """Ellipses on pictures whose pixels are numbered along lines of some length."""

    rows: np.ndarray
    """Which picture each of them is on."""
    places: np.ndarray
    """The middle of each, as line and place on it."""
    radii: np.ndarray

    def moved(self, rng: np.random.Generator, step: float) -> Discs:
        """The same, somewhat elsewhere and of somewhat other sizes."""
        places = self.places + rng.normal(0, step, self.places.shape)
        return Discs(self.rows, places, self.radii + rng.normal(0, step, self.radii.shape))


def draw(
    discs: Discs, sizes: np.ndarray, rng: np.random.Generator, roughness: float = 1.0
) -> list[str]:
    """The masks of pictures with so many lines of such lengths, in run-length encoding."""
    rows, starts, ends = [], [], []
    for row, (line, place), (width, height) in zip(*discs, strict=True):
        lines, length = sizes[row].tolist()
        first, last = max(int(line - width), 0), min(int(line + width) + 1, lines)
        across = np.arange(first, last)
        half = height * np.sqrt(np.maximum(1 - ((across - line) / width) ** 2, 0))
        half += rng.normal(0, roughness, len(across))
        begin, end = (
            np.clip(np.round(place + side * half), 0, length).astype(np.int64) for side in (-1, 1)
        )
        seen = end > begin
        rows.append(np.full(seen.sum(), row))
        starts.append(across[seen] * length + begin[seen])
        ends.append(across[seen] * length + end[seen])
    every = Masks(*map(np.concatenate, (starts, ends, rows)), len(sizes))
    return encoded(unions(every, np.arange(len(sizes)), len(sizes)))


def encoded(masks: Masks) -> list[str]:
    edges = np.searchsorted(masks.rows, np.arange(masks.row_count + 1)).tolist()
    runs = np.stack([masks.starts, masks.ends], axis=1)
    return [encode(runs[begin:end].tolist()) for begin, end in pairwise(edges)]


def scattered(
    rows: np.ndarray, sizes: np.ndarray, radius: float, rng: np.random.Generator
) -> Discs:
    """A disc anywhere on each of these pictures."""
    radii = radius * rng.uniform(0.6, 1.4, (len(rows), 2))
    return Discs(rows, rng.uniform(0, 1, (len(rows), 2)) * sizes[rows], radii)


def salt_tiles(folder: Path, rng: np.random.Generator) -> None:
    count, side = 1_000, 101
    sizes = np.full((count, 2), side)
    discs = scattered(np.sort(rng.integers(0, count * 2 // 3, count)), sizes, 40, rng)
    true, guess = draw(discs, sizes, rng), draw(discs.moved(rng, 2), sizes, rng)
    ids = [f"{number:09x}a" for number in range(count)]
    write_tables(folder, {"id": ids, "rle_mask": true}, {"id": ids, "rle_mask": guess})


def contrails(folder: Path, rng: np.random.Generator) -> None:
    count, side = 1_856, 256
    sizes = np.full((count, 2), side)
    discs = scattered(rng.integers(0, count * 2 // 3, 2 * count), sizes, 1, rng)
    lines = discs._replace(radii=np.stack([rng.uniform(10, 90, 2 * count), discs.radii[:, 1]], 1))
    true, guess = draw(lines, sizes, rng, 0.1), draw(lines.moved(rng, 0.5), sizes, rng, 0.1)
    ids = rng.permutation(10**6)[:count] + 5 * 10**18
    codes = ([code or "-" for code in codes] for codes in (true, guess))
    answers, submission = ({"record_id": ids, "encoded_pixels": own} for own in codes)
    write_tables(folder, answers | {"height": side, "width": side}, submission)


def glomeruli(folder: Path, rng: np.random.Generator) -> None:
    sizes = np.array([[25_000, 16_000], [31_000, 26_000], [50_000, 40_000]])
    discs = scattered(np.repeat(np.arange(3), [200, 400, 600]), sizes, 250, rng)
    true, guess = draw(discs, sizes, rng), draw(discs.moved(rng, 20), sizes, rng)
    ids = ["0a1b2c3d4", "1b2c3d4e5", "2c3d4e5f6"]
    answers = {"id": ids, "encoding": true}
    answers |= {"width_pixels": sizes[:, 0], "height_pixels": sizes[:, 1]}
    write_tables(folder, answers, {"id": ids, "predicted": guess})


def ink(folder: Path, rng: np.random.Generator) -> None:
    height, width = 7_600, 5_300
    sizes = np.array([[height, width]])
    discs = scattered(np.zeros(3_000, int), sizes, 40, rng)
    true, guess = draw(discs, sizes, rng), draw(discs.moved(rng, 10), sizes, rng)
    answers = {"Id": ["a"], "Predicted": true, "width": width, "height": height}
    write_tables(folder, answers, {"Id": ["a"], "Predicted": guess})


DAYS, SLICES = 38, 144
ORGANS = {"large_bowel": (5, 18), "small_bowel": (6, 17), "stomach": (2, 30)}
"""Of how many ellipsoids an organ is made, and how large they are."""


def organs(
    folder: Path, rng: np.random.Generator, change: Callable[[Discs, np.random.Generator], Discs]
) -> None:
    """Organs of about 200,000 voxels a day, and what is predicted instead."""
    sizes = np.repeat([[266, 266] if day % 5 else [360, 310] for day in range(DAYS)], 3 * SLICES, 0)
    discs = bodies(sizes, rng)
    true, guess = draw(discs, sizes, rng, 0.3), draw(change(discs, rng), sizes, rng, 0.3)
    rows = [
        (f"case{day // 4}_day{day % 4}_slice_{number + 1:04d}", organ)
        for day in range(DAYS)
        for number in range(SLICES)
        for organ in ORGANS
    ]
    keys = pd.DataFrame(rows, columns=["id", "class"]).to_dict("list")
    widths, heights = sizes.T.astype(float)
    answers = {**keys, "predicted": true, "image_width": widths, "image_height": heights}
    write_tables(folder, answers, {**keys, "predicted": guess})


def bodies(sizes: np.ndarray, rng: np.random.Generator) -> Discs:
    """The slices of ellipsoids, each of which begins near the one before it."""
    rows, places, radii = [], [], []
    for day in range(DAYS):
        for organ, (count, size) in enumerate(ORGANS.values()):
            place = np.array([SLICES, *sizes[3 * SLICES * day]]) * rng.uniform(0.35, 0.65, 3)
            for _ in range(count):
                half = size * rng.uniform([0.5, 0.7, 0.7], [0.8, 1.3, 1.3])
                cut = np.arange(max(int(place[0] - half[0]), 0), min(place[0] + half[0], SLICES))
                share = np.sqrt(np.maximum(1 - ((cut - place[0]) / half[0]) ** 2, 0))
                seen = share > 0.1
                rows.append(3 * (SLICES * day + cut[seen].astype(int)) + organ)
                places.append(np.broadcast_to(place[1:], (seen.sum(), 2)))
                radii.append(np.outer(share[seen], half[1:]))
                place = place + rng.normal(0, [6, 16, 16])
    return Discs(*map(np.concatenate, (rows, places, radii)))


def outlined(discs: Discs, rng: np.random.Generator) -> Discs:
    """As a good model sees them: a few slices are lost, and a few specks too many."""
    kept = rng.random(len(discs.rows)) > 0.03
    specks = rng.choice(discs.rows, 100)
    added = Discs(specks, rng.uniform(30, 230, (100, 2)), np.full((100, 2), 3.0))
    parts = zip(Discs(*(part[kept] for part in discs)).moved(rng, 1), added, strict=True)
    return Discs(*map(np.concatenate, parts))


def misplaced(discs: Discs, rng: np.random.Generator) -> Discs:
    """As somebody marks them who knows nothing but their size."""
    return discs._replace(places=rng.permutation(discs.places))


def good_organs(folder: Path, rng: np.random.Generator) -> None:
    organs(folder, rng, outlined)


def poor_organs(folder: Path, rng: np.random.Generator) -> None:
    organs(folder, rng, misplaced)


# Pixels


def pages(folder: Path, rng: np.random.Generator) -> None:
    shapes = [(420, 540)] * 24 + [(258, 540)] * 3
    ids = [
        f"{page}_{row}_{column}"
        for page, (height, width) in zip(rng.permutation(216), shapes, strict=False)
        for row in range(1, height + 1)
        for column in range(1, width + 1)
    ]
    true = rng.integers(0, 256, len(ids)) / 255
    guess = (true + rng.normal(0, 0.05, len(ids))).astype(np.float32)
    for name, values in ((ANSWERS, true), (SUBMISSION, guess)):
        write_quickly(folder / name, {"id": ids, "value": values})


VINBIGDATA = "vinbigdata-chest-xray-abnormalities-detection"
LYFT = "3d-object-detection-for-autonomous-vehicles"
UW_MADISON = "uw-madison-gi-tract-image-segmentation"
CONTRAILS = "google-research-identify-contrails-reduce-global-warming"
CASES = (
    Case("tgs-salt", "tgs-salt-identification-challenge", salt_tiles, 0.1),
    Case("contrails", CONTRAILS, contrails, 0.3),
    Case("hubmap", "hubmap-kidney-segmentation", glomeruli, 2.0),
    Case("vesuvius", "vesuvius-challenge-ink-detection", ink, 0.5),
    Case("uw-madison, good", UW_MADISON, good_organs, 2.0),
    Case("uw-madison, poor", UW_MADISON, poor_organs, 2.0),
    Case("denoising", "denoising-dirty-documents", pages, 2.0),
    Case("icecube", "icecube-neutrinos-in-deep-ice", full_size.neutrinos, 3.0),
    Case("vinbigdata", VINBIGDATA, full_size.chest_x_rays, 2.0),
    Case("3d-object-detection", LYFT, full_size.traffic, 12.0),
    Case("AI4Code", "AI4Code", full_size.notebooks, 2.0),
    Case("facebook", "facebook-recruiting-iii-keyword-extraction", full_size.questions_with_tags),
    Case("text normalization", "text-normalization-challenge-english-language", full_size.tokens),
    Case("bms", "bms-molecular-translation", full_size.molecules),
    Case("h-and-m", "h-and-m-personalized-fashion-recommendations", full_size.purchases),
    Case("tensorflow2-qa", "tensorflow2-question-answering", full_size.articles),
)


# Measuring


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="how the names of cases begin; by default all")
    parser.add_argument("--measure", nargs=2, metavar=("COMPETITION", "FOLDER"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], Path(options.measure[1]))))
        return
    chosen = [case for case in CASES if case.name.startswith(tuple(options.names or [""]))]
    columns = ("first s", "best s", "limit", "CPU s", "peak MB", "of tables", "of csv")
    print("case".ljust(20) + "".join(column.rjust(10) for column in columns))
    failed = [case.name for case in chosen if not run(case)]
    if failed:
        sys.exit(f"too slow or too large: {', '.join(failed)}")


def run(case: Case) -> bool:
    """Measure a case in a process of its own; whether it keeps its limits."""
    with tempfile.TemporaryDirectory() as folder:
        case.write(Path(folder), np.random.default_rng(0))
        command = [
            sys.executable,
            "-m",
            "benchmarks.graders",
            "--measure",
            case.competition,
            folder,
        ]
        # Arrow's memory as in a grading process; its own allocator keeps what it no longer needs.
        environment = os.environ | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found = json.loads(done.stdout)
    print(
        f"{case.name:20}{found['first']:10.3f}{found['best']:10.3f}{case.limit:10.1f}"
        f"{found['cpu']:10.3f}{found['peak'] / MEGABYTE:10.0f}"
        f"{found['peak'] / found['tables']:9.1f}x{found['best'] / found['csv']:9.1f}x",
        flush=True,
    )
    fits = found["tables"] < SMALL_TABLES or found["peak"] <= MOST_MEMORY * found["tables"]
    return bool(found["best"] <= case.limit and fits)


def measure(competition: str, folder: Path) -> dict[str, float]:
    for library in LIBRARIES:
        import_module(library)
    task = Task(registry.get_competitions_dir() / competition)
    task.require_complete()
    answers = folder / JSON_ANSWERS
    paths = folder / SUBMISSION, answers if answers.exists() else folder / ANSWERS

    def grade() -> None:
        task.grade(*task.read(*paths))

    with watched_memory() as most:
        first, _ = seconds(grade)
    again = [seconds(grade) for _ in range(ROUNDS)]
    best, cpu = (min(times) for times in zip(*again, strict=True))
    csv, _ = min(seconds(lambda: read_with_arrow(paths)) for _ in range(ROUNDS))
    tables = sum(
        int(table.memory_usage(deep=True).sum())
        for table in task.read(*paths)
        if isinstance(table, pd.DataFrame)
    )
    return {
        "first": first, "best": best, "cpu": cpu, "peak": most(), "tables": tables, "csv": csv,
    }  # fmt: skip


@contextmanager
def watched_memory() -> Iterator[Callable[[], int]]:
    """By how many bytes this process grows at most, once that is over.

    Pages of the files it reads do not count: the system takes them back whenever it needs them.
    """
    status, done = Path("/proc/self/status"), threading.Event()
    seen = []

    def look() -> None:
        seen.append(1024 * int(status.read_text().partition("RssAnon:")[2].split()[0]))

    def watch() -> None:
        while not done.wait(LOOK_SECONDS):
            look()

    gc.collect()
    look()
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield lambda: max(seen) - seen[0]
    finally:
        done.set()
        watcher.join()


def seconds(call: Callable[[], object]) -> tuple[float, float]:
    """How long a call takes, and how long the processors are busy with it."""
    gc.collect()
    started, busy = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - started, time.process_time() - busy


def read_with_arrow(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.suffix != ".csv":
            continue
        # A row of a mask may be longer than a block.
        options = pyarrow.csv.ReadOptions(block_size=max(path.stat().st_size, 2**20))
        pyarrow.csv.read_csv(path, read_options=options)


if __name__ == "__main__":
    main()
