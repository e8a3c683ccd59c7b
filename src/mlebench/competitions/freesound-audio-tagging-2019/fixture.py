"""Made-up raw data of Freesound Audio Tagging 2019."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.sounds import Samples, tone, write_wav
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.archives import pack
from mlebench.preparing.tables import with_each, write_csv

from .task import METADATA, SOUNDS

RATE = 44_100
HEARD = SOUNDS[3::15]


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    for part, rows in (("train_curated", 40), ("train_noisy", 30)):
        clips = _clips(rng, rows)
        write_csv(clips, raw / f"{part}.csv")
        _record(rng, clips, raw / part)
    test = _clips(rng, 60).assign(usage=np.resize(["Private", "Public", "Private"], 60))
    test.insert(2, "freesound_id", rng.integers(1, 400_000, len(test)))
    contents = {f"{METADATA}/test_post_competition.csv": test.to_csv(index=False)}
    pack(raw / f"{METADATA}.zip", contents)
    scored = test[test["usage"] == "Private"].sort_values("fname")
    write_csv(with_each(scored[["fname"]], SOUNDS, 0), raw / "sample_submission.csv")
    _record(rng, scored, raw / "test")


def _clips(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    heard = [rng.choice(HEARD, rng.integers(1, 3), replace=False) for _ in range(rows)]
    names = [f"{name}.wav" for name in hex_ids(rng, rows, 8)]
    return pd.DataFrame({"fname": names, "labels": [",".join(sounds) for sounds in heard]})


def _record(rng: np.random.Generator, clips: pd.DataFrame, folder: Path) -> None:
    for name, labels in zip(clips["fname"], clips["labels"]):
        write_wav(folder / name, _mixed(rng, labels.split(",")), RATE)


def _mixed(rng: np.random.Generator, sounds: list[str]) -> Samples:
    """One sound after the other, each of them a tone of its own."""
    tones = [tone(rng, 400 * (1 + HEARD.index(sound)), rate=RATE) for sound in sounds]
    return np.concatenate(tones)
