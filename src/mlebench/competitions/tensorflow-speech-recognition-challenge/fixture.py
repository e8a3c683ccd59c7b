"""Made-up raw data of TensorFlow Speech Recognition Challenge."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.sounds import tone, wav_bytes
from mlebench.fixtures.words import hex_ids
from mlebench.preparing.archives import pack_7z

from .task import NOISE

WORDS = ("yes", "no", "up", "go", "cat", "bed")
NOISES = ("rain", "river", "engine")
RATE = 16_000
SECONDS, PITCH = 2, 50


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    speakers = hex_ids(rng, 12, 8)
    files: dict[str, str | bytes] = {
        f"train/audio/{word}/{speaker}_nohash_{number % 2}.wav": wav_bytes(
            tone(rng, 300 + 500 * pitch)
        )
        for pitch, word in enumerate(WORDS)
        for number, speaker in enumerate(speakers)
    }
    for name in NOISES:
        # Each second repeats a hum of its own, which packs well.
        hums = [np.tile(tone(rng, PITCH, samples=RATE // PITCH), PITCH) for _ in range(SECONDS)]
        files[f"train/audio/{NOISE}/{name}.wav"] = wav_bytes(np.concatenate(hums), RATE)
    files[f"train/audio/{NOISE}/README.md"] = "Noise of two seconds.\n"
    files["train/LICENSE"] = "made up\n"
    files["train/testing_list.txt"] = f"yes/{speakers[0]}_nohash_0.wav\n"
    pack_7z(raw / "train.7z", files)
