"""Made-up raw data of Billion Word Imputation."""

from pathlib import Path

import numpy as np

from mlebench.fixtures.words import sentence
from mlebench.preparing.archives import pack

from .task import TRAIN

LINES = 3000
# Every line ends in one of these; the first makes it too short to lose a word.
ENDS = ("", *4 * (" .", ' , " he said " .', " naïve  café ."))


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    lines = []
    for number in range(LINES):
        end = ENDS[number % len(ENDS)]
        words = sentence(rng, int(rng.integers(4, 11) if end else rng.integers(1, 3)))
        lines.append(f"{words.capitalize()}{end}\n")
    pack(raw / f"{TRAIN}.zip", {TRAIN: "".join(lines)})
