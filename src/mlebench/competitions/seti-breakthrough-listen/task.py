"""SETI Breakthrough Listen: does the radio telescope's snippet hold an artificial signal?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.files import place_all, place_tree
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="id", columns=(Number("target", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)
    # All that the contest had published before it began anew, with labels.
    place_tree(raw / "old_leaky_data", public / "old_leaky_data")


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private)


def _prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train_labels.csv"), test_size=0.1)
    write_csv(train, public / "train_labels.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.assign(target=0.5), public / "sample_submission.csv")
    for side, snippets in (("train", train["id"]), ("test", test["id"])):
        for first, names in snippets.groupby(snippets.str[0]):
            place_all(names + ".npy", raw / "train" / first, public / side / first)


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["target"], predicted["target"])
