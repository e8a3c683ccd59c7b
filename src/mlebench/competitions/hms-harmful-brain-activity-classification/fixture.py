"""Made-up raw data of HMS - Harmful Brain Activity."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.images import noise, write_image
from mlebench.preparing.tables import write_csv

from .task import VOTES, WINDOW

PATTERNS = ("Seizure", "LPD", "GPD", "LRDA", "GRDA", "Other")
ELECTRODES = ("Fp1", "F3", "C3", "Cz", "O2", "EKG")
BANDS = ("LL_0.59", "RL_0.59", "LP_0.59", "RP_0.59")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    ids = rng.permutation(10**6)
    spectrograms = np.repeat(np.arange(30), np.resize([1, 2], 30))
    eegs = pd.DataFrame(
        {
            "eeg_id": ids[: len(spectrograms)],
            "spectrogram_id": ids[100 + spectrograms],
            "patient_id": 100 + spectrograms // 2,
            "pattern": rng.integers(0, 6, len(spectrograms)),
        }
    )
    of_each = rng.choice([1, 2, 5, 25], len(eegs))
    windows = eegs.loc[eegs.index.repeat(of_each)].reset_index(drop=True)
    rows = len(windows)
    votes = rng.integers(0, 3, (rows, 6)) * rng.integers(0, 2, (rows, 6))
    votes[np.arange(rows), windows["pattern"]] += 3
    number = windows.groupby("eeg_id").cumcount()
    windows = windows.assign(
        eeg_sub_id=number,
        eeg_label_offset_seconds=2.0 * number,
        spectrogram_sub_id=number,
        spectrogram_label_offset_seconds=2.0 * number,
        label_id=ids[1000 : 1000 + rows],
        expert_consensus=np.take(PATTERNS, votes.argmax(axis=1)),
        **dict(zip(VOTES, votes.T)),
    )
    write_csv(windows[[*WINDOW, "expert_consensus", *VOTES]], raw / "train.csv")
    for kind, columns in (("eeg", ELECTRODES), ("spectrogram", ("time", *BANDS))):
        folder = raw / f"train_{kind}s"
        folder.mkdir()
        for number, pattern in zip(eegs[f"{kind}_id"], eegs["pattern"]):
            values = 10 * (pattern + 1) * rng.normal(size=(8, len(columns)))
            signals = pd.DataFrame(values.astype(np.float32), columns=list(columns))
            signals.to_parquet(folder / f"{number}.parquet", index=False)
    write_image(raw / "example_figures" / "Sample01.png", noise(rng, 128))
