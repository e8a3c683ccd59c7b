"""ML2021Spring-hw2: which phoneme is spoken in the middle of a short stretch of speech?"""

from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.partitions import partition_list, partition_positions
from mlebench.preparing.tables import read_array, write_array_rows, write_csv
from mlebench.submission import Label, Submission

FOLDER = Path("timit_11", "timit_11")
PHONEMES = 39
BLOCKS = 400  # of some ten utterances each

SUBMISSION = Submission(key="Id", columns=(Label("ClassId", words_are_wrong=True),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label("ClassId", low=0, high=PHONEMES - 1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    frames, test_share = sizes(raw)
    train, test = partition_positions(frames, test_share)
    _publish(raw, public, private, train, test)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # A frame is part of its neighbours, so those are held out together.
    frames, test_share = sizes(raw)
    blocks = [block.tolist() for block in np.array_split(np.arange(frames), BLOCKS)]
    train, test = (sorted(chain(*part)) for part in partition_list(blocks, test_share))
    _publish(raw, public, private, train, test)


def arrays(raw: Path, *names: str) -> list[npt.NDArray[Any]]:
    return [read_array(raw / FOLDER / f"{name}_11.npy") for name in names]


def sizes(raw: Path) -> tuple[int, float]:
    """How many frames there are for training, and which share of all the contest held out."""
    known, asked = map(len, arrays(raw, "train", "test"))
    return known, asked / (known + asked)


def _publish(raw: Path, public: Path, private: Path, train: list[int], test: list[int]) -> None:
    frames, labels = arrays(raw, "train", "train_label")
    write_array_rows(frames, train, public / FOLDER / "train_11.npy")
    write_array_rows(labels, train, public / FOLDER / "train_label_11.npy")
    write_array_rows(frames, test, public / FOLDER / "test_11.npy")
    answers = pd.DataFrame({"Id": range(len(test)), "ClassId": labels[test]})
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(ClassId=0), public / "sampleSubmission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth["ClassId"], predicted["ClassId"])
