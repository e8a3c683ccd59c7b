"""HMS - Harmful Brain Activity: how do experts vote on a stretch of an EEG?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pandas as pd

from mlebench.preparing.files import place_all, place_tree
from mlebench.preparing.partitions import partition_by_value
from mlebench.preparing.tables import read_csv, with_each, write_csv
from mlebench.submission import Number, RowsSumToOne, SortedKeySet, Submission, Trial

VOTES = ("seizure_vote", "lpd_vote", "gpd_vote", "lrda_vote", "grda_vote", "other_vote")
WINDOW = (
    "eeg_id", "eeg_sub_id", "eeg_label_offset_seconds", "spectrogram_id", "spectrogram_sub_id",
    "spectrogram_label_offset_seconds", "label_id", "patient_id",
)  # fmt: skip
SHOWN = ("spectrogram_id", "eeg_id", "patient_id")
TINY = 1e-15


@dataclass(frozen=True)
class Share(Number):
    """A probability, possibly missing; a column of nothing but 0 and 1 stays whole."""

    low: float | None = 0
    high: float | None = 1
    may_be_missing: bool = True
    may_be_truth: bool = False

    is_read_as_floats: ClassVar[bool] = False

    def trials(self) -> Iterator[Trial]:
        """Those of numbers; an empty cell is valid if the others of its row sum to 1."""
        return (trial for trial in super().trials() if trial.cell)


SUBMISSION = Submission(
    key="eeg_id",
    columns=tuple(Share(vote) for vote in VOTES),
    rules=(
        RowsSumToOne(VOTES, decimals=5),
        RowsSumToOne(VOTES, absolute=1e-8, with_further=True),
    ),
    matching=SortedKeySet(),
    further=Share,
)
SUBMISSION_V2 = Submission(
    key="label_id",
    columns=tuple(Number(vote, low=0, high=1) for vote in VOTES),
    rules=(RowsSumToOne(VOTES),),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, by="spectrogram_id", key="eeg_id", shown=SHOWN)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, by="patient_id", key="label_id", shown=WINDOW)


def _prepare(
    raw: Path, public: Path, private: Path, *, by: str, key: str, shown: Sequence[str]
) -> None:
    train, test = partition_by_value(read_csv(raw / "train.csv"), by=by, test_size=0.1)
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test[[*shown]], public / "test.csv")
    votes, keys = test[[*VOTES]], test[[key]]
    write_csv(keys.join(votes.div(votes.sum(axis=1), axis=0)), private / "gold_submission.csv")
    write_csv(with_each(keys, VOTES, 1 / len(VOTES)), public / "sample_submission.csv")
    place_tree(raw / "example_figures", public / "example_figures")
    for part, table in (("train", train), ("test", test)):
        for kind in ("eeg", "spectrogram"):
            names = (f"{number}.parquet" for number in table[f"{kind}_id"].unique())
            place_all(names, raw / f"train_{kind}s", public / f"{part}_{kind}s")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    votes = truth[[*VOTES]].to_numpy(dtype=np.float64)
    shares = votes / votes.sum(axis=1, keepdims=True)
    chances = np.column_stack([_clipped(predicted[vote]) for vote in VOTES])
    with np.errstate(divide="ignore", invalid="ignore"):  # where nobody voted, or no chance is
        costs = np.where(shares > 0, shares * np.log(shares / chances), 0.0)
    return float(np.nansum(costs, axis=1).mean())  # what is missing costs nothing


def _clipped(column: pd.Series) -> np.ndarray:
    values = column.to_numpy(dtype=np.float64)
    # Pandas 2 makes a clipped column of whole numbers whole again, and its zeros are back.
    return values if column.dtype.kind in "iu" else values.clip(TINY, 1 - TINY)
