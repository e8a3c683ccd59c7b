"""Made-up raw data of SETI Breakthrough Listen."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

ON_TARGET = (0, 2, 4)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows, old = 120, 10
    ids = hex_ids(rng, rows + 2 * old, 16)
    targets = rng.permutation(np.arange(len(ids)) % 5 == 0).astype(int)
    snippets = pd.DataFrame({"id": ids, "target": targets})
    leaky = raw / "old_leaky_data"
    for part, labels, folder in (
        (snippets[:rows], raw / "train_labels.csv", raw / "train"),
        (snippets[rows:-old], leaky / "train_labels_old.csv", leaky / "train_old"),
        (snippets[-old:], leaky / "test_labels_old.csv", leaky / "test_old"),
    ):
        write_csv(part, labels)
        for name, target in zip(part["id"], part["target"]):
            _write_snippet(folder / name[0] / f"{name}.npy", rng, target)


def _write_snippet(path: Path, rng: np.random.Generator, target: int) -> None:
    panels = rng.normal(0, 1, (6, 4, 4))
    panels[ON_TARGET, :, 2] += 6 * target
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, panels.astype(np.float16))
