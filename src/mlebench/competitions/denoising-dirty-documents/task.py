"""Denoising Dirty Documents: what did the page look like before it was stained?"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, rmse
from mlebench.preparing.archives import extract_members, members, open_member
from mlebench.preparing.partitions import partition_by_value, partition_list
from mlebench.preparing.tables import write_csv
from mlebench.submission import Number, Submission

DIRTY, CLEAN = "train", "train_cleaned"
WHITE = 255
TEST_SIZE = 0.2

SUBMISSION = Submission(key="id", columns=(Number("value"),))
SUBMISSION_V2 = replace(
    SUBMISSION, columns=(Number("value", low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH),)
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_list(_pages(raw), TEST_SIZE)
    _prepare(raw, public, private, train, test)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # One clean page may stand behind several dirty ones, which then belong to the same part.
    texts = [(page, _clean_page(raw, page).tobytes()) for page in _pages(raw)]
    pages = pd.DataFrame(texts, columns=["page", "text"])
    train, test = partition_by_value(pages, by="text", test_size=TEST_SIZE)
    _prepare(raw, public, private, train["page"], test["page"])


def _prepare(
    raw: Path, public: Path, private: Path, train: Iterable[str], test: Iterable[str]
) -> None:
    extract_members(
        raw / f"{DIRTY}.zip",
        {f"{DIRTY}/{page}": public / "train" / page for page in train}
        | {f"{DIRTY}/{page}": public / "test" / page for page in test},
    )
    extract_members(
        raw / f"{CLEAN}.zip", {f"{CLEAN}/{page}": public / CLEAN / page for page in train}
    )
    # Page by page: there are millions of pixels.
    for number, page in enumerate(sorted(test)):
        pixels = _pixel_table(Path(page).stem, _clean_page(raw, page))
        how = {"mode": "a", "header": number == 0}
        write_csv(pixels, private / "answers.csv", **how)
        write_csv(pixels.assign(value=1), public / "sampleSubmission.csv", **how)


def _pages(raw: Path) -> list[str]:
    return [Path(member).name for member in members(raw / f"{DIRTY}.zip", suffix=".png")]


def _clean_page(raw: Path, page: str) -> np.ndarray:
    from PIL import Image

    with open_member(raw / f"{CLEAN}.zip", f"{CLEAN}/{page}") as file, Image.open(file) as image:
        return np.asarray(image.convert("L"))


def _pixel_table(page: str, grey: np.ndarray) -> pd.DataFrame:
    """A row for each pixel of a page, counted from 1."""
    height, width = grey.shape
    ids = [f"{page}_{row + 1}_{column + 1}" for row in range(height) for column in range(width)]
    return pd.DataFrame({"id": ids, "value": grey.ravel() / WHITE})


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return rmse(truth["value"], predicted["value"])
