"""Invasive Species Monitoring: does hydrangea grow where the photograph was taken?"""

from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import roc_auc
from mlebench.preparing.archives import pack, pack_7z, unpacked
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Number, Submission

SUBMISSION = Submission(key="name", columns=(Number("invasive", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _write_tables(raw, public, private)
    # The original's archives lack the photographs, so there is no need to unpack any.
    pack_7z(public / "train.7z", {})
    pack_7z(public / "test.7z", {})


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    train, test = _write_tables(raw, public, private)
    with unpacked(raw / "train.7z", beside=public) as folder:
        for side, photos in (("train", train["name"]), ("test", test["name"])):
            contents = {f"{side}/{name}.jpg": folder / "train" / f"{name}.jpg" for name in photos}
            pack_7z(public / f"{side}.7z", contents)


def _write_tables(raw: Path, public: Path, private: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    train, test = partition_rows(read_csv(raw / "train_labels.csv.zip"), test_size=0.2)
    sample = test.assign(invasive=0.5)
    write_csv(test, private / "answers.csv")
    write_csv(sample, private / "sample_submission.csv")
    for name, table in (("train_labels.csv", train), ("sample_submission.csv", sample)):
        pack(public / f"{name}.zip", {name: table.to_csv(index=False)})
    return train, test


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return roc_auc(truth["invasive"], predicted["invasive"])
