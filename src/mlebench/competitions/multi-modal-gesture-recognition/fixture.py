"""Made-up raw data of Multi-modal Gesture Recognition."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.sounds import tone, wav_bytes
from mlebench.preparing.archives import pack, pack_tar
from mlebench.preparing.tables import write_csv

from .task import LABEL_FILE, SIGNS, mat_bytes

NAMES = (
    "vattene", "vieniqui", "perfetto", "furbo", "cheduepalle", "chevuoi", "daccordo", "seipazzo",
    "combinato", "freganiente", "ok", "cosatifarei", "basta", "prendere", "noncenepiu", "fame",
    "tantotempo", "buonissimo", "messidaccordo", "sonostufo",
)  # fmt: skip
PARTS = {"training1": 8, "training2": 8, "training3": 8, "training4": 24} | {
    f"validation{number}": 2 for number in (1, 2, 3)
}
FRAMES = 4  # of each gesture
EMPTY_7Z = b"7z\xbc\xaf'\x1c\x00\x04\x8d\x9b\xd5\x0f" + bytes(20)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    ids = iter((100 + rng.permutation(300)).tolist())
    recordings = []
    for part, size in PARTS.items():
        samples = {}
        for _ in range(size):
            sample = f"Sample{next(ids):05d}"
            signs = rng.choice(SIGNS, rng.integers(3, 7))
            is_labelled = part.startswith("training")
            samples[f"{sample}.zip"] = _recording(rng, sample, signs, is_labelled)
            if is_labelled:
                recordings.append((sample[-4:], " ".join(map(str, signs))))
        pack_tar(raw / f"{part}.tar.gz", samples, mode="w:gz")
    table = pd.DataFrame(recordings, columns=["Id", "Sequence"])
    write_csv(table.sample(frac=1, random_state=0), raw / "training.csv")
    write_csv(pd.DataFrame({"Id": ["0410"]}), raw / "test.csv")
    write_csv(pd.DataFrame({"Id": ["0410"], "Sequence": ["1 2"]}), raw / "randomPredictions.csv")
    for name in ("devel01-40.7z", "valid_all_files_combined.7z"):
        (raw / name).write_bytes(EMPTY_7Z)
    pack(raw / "sample_code_mmrgc.zip", {"readme.txt": "made up"})


def _recording(
    rng: np.random.Generator, sample: str, signs: np.ndarray, is_labelled: bool
) -> bytes:
    """A zip with sound, placeholders for three videos, and hands as high as the sign's number."""
    frames = np.empty((1, FRAMES * len(signs)), [("Skeleton", object)])
    for number, sign in enumerate(np.repeat(signs, FRAMES)):
        joints = {"WorldPosition": rng.normal(50 * sign, 5, (20, 3)).round(1)}
        frames[0, number] = (joints,)
    labels = np.empty((1, len(signs)), [("Name", object), ("Begin", object), ("End", object)])
    for number, sign in enumerate(signs):
        labels[0, number] = (NAMES[sign - 1], FRAMES * number + 1, FRAMES * (number + 1))
    video = {
        "NumFrames": frames.size,
        "FrameRate": 20,
        "MaxDepth": 3000,
        "Frames": frames,
        "Labels": labels if is_labelled else np.empty((0, 0)),
    }
    contents = {
        "_audio.wav": wav_bytes(tone(rng, 100 * signs[0])),
        **{f"_{kind}.mp4": b"no video" for kind in ("color", "depth", "user")},
        LABEL_FILE: mat_bytes({"Video": video}),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for suffix, content in contents.items():
            archive.writestr(zipfile.ZipInfo(f"{sample}{suffix}"), content)
    return buffer.getvalue()
