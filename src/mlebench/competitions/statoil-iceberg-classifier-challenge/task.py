"""Statoil/C-CORE Iceberg Classifier Challenge: iceberg or ship?"""

import json
from pathlib import Path

import pandas as pd

from mlebench.metrics.classification import binary_log_loss
from mlebench.preparing.archives import pack_7z, unpacked
from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import first_record, read_json, write_csv
from mlebench.submission import Number, Submission

INSIDE = "data/processed"  # where the raw archives hold their files

SUBMISSION = Submission(key="id", columns=(Number("is_iceberg", low=0, high=1),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    with unpacked(raw / "train.json.7z", beside=public) as folder:
        train, test = partition_list(read_json(folder / INSIDE / "train.json"), test_size=0.2)
    with unpacked(raw / "test.json.7z", beside=public) as folder:
        fields = list(first_record(folder / INSIDE / "test.json"))
    shown = [{field: target[field] for field in fields} for target in test]
    pack_7z(public / "train.json.7z", {"train.json": json.dumps(train)})
    pack_7z(public / "test.json.7z", {"test.json": json.dumps(shown)})
    answers = pd.DataFrame(test, columns=["id", "is_iceberg"])
    sample = private / "sample_submission.csv"
    write_csv(answers, private / "test.csv")
    write_csv(answers.assign(is_iceberg=0.5), sample)
    pack_7z(public / f"{sample.name}.7z", {sample.name: sample.read_bytes()})


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return binary_log_loss(truth["is_iceberg"], predicted["is_iceberg"])
