"""Made-up raw data of Right Whale Redux."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.sounds import aiff_bytes, tone
from mlebench.preparing.archives import pack

DAYS = ("20090328", "20090329", "20090330", "20090331")
RATE = 2_000


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    clips = 100
    calls = rng.permutation(np.arange(clips) % 4 == 0).astype(int)
    days = np.repeat(DAYS, clips // len(DAYS))
    # All of a day's seconds are later than those of the clip before.
    seconds = np.arange(clips) % (clips // len(DAYS)) * 3_000 + rng.integers(0, 3_000, clips)
    sounds = {}
    for number, (day, second, call) in enumerate(zip(days, seconds, calls)):
        clock = f"{second // 3600:02d}{second // 60 % 60:02d}{second % 60:02d}"
        name = f"{day}_{clock}_{second:03d}s{number % 10}ms_TRAIN{number}_{call}.aif"
        sounds[f"train2/{name}"] = aiff_bytes(tone(rng, 100 + 200 * call, rate=RATE), RATE)
    pack(raw / "train2.zip", sounds)
