"""TGS Salt Identification Challenge: which pixels of a seismic image are salt?"""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.archives import extract_members, open_member, pack
from mlebench.metrics.masks import Runs, area, iou
from mlebench.splits import split_rows
from mlebench.submission import Submission
from mlebench.submission.masks import RunLengths, encode
from mlebench.tables import read_csv, write_csv

SIDE = 101
THRESHOLDS = np.arange(0.5, 1.0, 0.05)
MASK = RunLengths("rle_mask", pixels=SIDE * SIDE, odd_counts=True)
EMPTY, FULL = MASK.decode(""), MASK.decode(f"1 {SIDE * SIDE}")

SUBMISSION = Submission(key="id", columns=(MASK,), only_these_columns=True)
SUBMISSION_V2 = replace(SUBMISSION, columns=(replace(MASK, odd_counts=False),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    archive, folder = raw / "competition_data.zip", "competition_data"
    with open_member(archive, f"{folder}/train.csv") as file:
        train, test = split_rows(read_csv(file), test_size=0.25)
    train, test = train.sort_values("id"), test.sort_values("id")
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(rle_mask="1 1"), public / "sample_submission.csv")
    depths = read_csv(raw / "depths.csv").sort_values("id")
    write_csv(depths[depths["id"].isin(train["id"])], public / "depths.csv")
    for part, tiles, kinds in (("train", train, ("images", "masks")), ("test", test, ("images",))):
        targets = {
            f"{folder}/train/{kind}/{tile}.png": public / part / kind / f"{tile}.png"
            for kind in kinds
            for tile in tiles["id"]
        }
        extract_members(archive, targets)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # Where there is salt, the original's histogram takes an empty mask for a full one.
    return _mean_precision(truth, predicted, empty=FULL)


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return _mean_precision(truth, predicted, empty=EMPTY)


def _mean_precision(truth: pd.DataFrame, predicted: pd.DataFrame, empty: Runs) -> float:
    pairs = zip(MASK.parse(truth["rle_mask"]), predicted["rle_mask"])
    return float(np.mean([_precision(true, guess, empty) for true, guess in pairs]))


def _precision(true: Runs, guess: Runs, empty: Runs) -> float:
    """The share of thresholds that the overlap exceeds."""
    if not area(true):
        return float(not area(guess))
    return float(np.mean(iou(true, guess if area(guess) else empty) > THRESHOLDS))


def fixture(raw: Path) -> None:
    from PIL import Image

    def png(pixels: np.ndarray) -> bytes:
        buffer = io.BytesIO()
        Image.fromarray(pixels.astype(np.uint8)).save(buffer, "png")
        return buffer.getvalue()

    rng = np.random.default_rng(0)
    row, column = np.mgrid[:SIDE, :SIDE]
    masks: dict[str, str] = {}
    files: dict[str, str | bytes] = {}
    for top in np.linspace(-30, 130, 24):  # from full tiles to empty ones
        tile = f"a{rng.integers(16**9):09x}"
        salt = row >= top + rng.uniform(-0.1, 0.1) * (column - SIDE / 2)
        edges = np.flatnonzero(np.diff(salt.T.ravel(), prepend=False, append=False))
        masks[tile] = encode(edges.reshape(-1, 2))
        rock = 90 + 30 * np.sin(row / 4) + rng.normal(0, 10, salt.shape)
        files[f"train/images/{tile}.png"] = png(np.where(salt, rock / 2 + 100, rock))
        files[f"train/masks/{tile}.png"] = png(255 * salt)
    table = pd.DataFrame({"id": masks.keys(), "rle_mask": masks.values()})
    files["train.csv"] = table.to_csv(index=False)
    pack(
        raw / "competition_data.zip",
        {f"competition_data/{name}": content for name, content in files.items()},
    )
    tiles = [*masks, "f00d5a1700", "f00d5a1701"]
    write_csv(pd.DataFrame({"id": tiles, "z": rng.integers(50, 960, 26)}), raw / "depths.csv")
