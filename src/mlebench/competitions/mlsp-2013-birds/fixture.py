"""Made-up raw data of MLSP 2013 Bird Classification Challenge."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from mlebench.fixtures.images import image_bytes, noise
from mlebench.fixtures.sounds import tone, wav_bytes
from mlebench.fixtures.words import sentence
from mlebench.preparing.archives import pack

from .task import EXAMPLES, OVERVIEWS, PICTURES, SPECIES

RECORDINGS = range(60)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    hidden = {*rng.permutation(RECORDINGS)[:20].tolist()}
    heard = [sorted(rng.permutation(SPECIES)[: number % 4].tolist()) for number in RECORDINGS]
    names = [f"PC{number % 13 + 1}_20100501_{70_000 + number}_0" for number in RECORDINGS]
    order = rng.permutation(RECORDINGS).tolist()
    labels = [(number, *(["?"] if number in hidden else heard[number])) for number in order]
    segments = [(number, segment) for number in RECORDINGS for segment in range(number % 3)]
    histograms = [(number, *rng.integers(0, 5, 100)) for number in RECORDINGS]
    essential = {
        "CVfolds_2.txt": _table("fold", [(number, int(number in hidden)) for number in RECORDINGS]),
        "rec_id2filename.txt": _table("filename", [(number, names[number]) for number in order]),
        "rec_labels_test_hidden.txt": _table("[labels]", labels),
        "species_list.txt": "class_id,code,species\n"
        + "".join(f"{number},{number:04X},{sentence(rng, 2)}\n" for number in range(SPECIES)),
    }
    supplemental = {
        "histogram_of_segments.txt": _table("[histogram of segment features]", histograms),
        "segment_features.txt": _table(
            "segment_id,[feature vector]", [(*one, *rng.normal(size=38)) for one in segments]
        ),
        "segment_rectangles.txt": _table(
            "segment_id,[rectangle]", [(*one, *rng.integers(0, 200, 4)) for one in segments]
        ),
    }
    sounds = {
        f"src_wavs/{name}.wav": wav_bytes(tone(rng, 200 + 300 * min(own, default=-0.5)))
        for name, own in zip(names, heard)
    }
    pictures = [f"{folder}/{name}.bmp" for folder in PICTURES for name in names]
    pictures += [f"{EXAMPLES}/{name}.bmp" for name in names[::5]]
    images = {name: image_bytes(noise(rng, 128), "bmp") for name in (*pictures, *OVERVIEWS)}
    folder = "mlsp_contest_dataset"
    pack(
        raw / f"{folder}.zip",
        {f"{folder}/essential_data/{name}": file for name, file in (essential | sounds).items()}
        | {
            f"{folder}/supplemental_data/{name}": file
            for name, file in (supplemental | images).items()
        },
    )


def _table(columns: str, rows: Iterable[tuple[object, ...]]) -> str:
    """Lines that begin with a recording, ended as on Windows."""
    lines = [f"rec_id,{columns}", *(",".join(map(str, row)) for row in rows)]
    return "".join(f"{line}\r\n" for line in lines)
