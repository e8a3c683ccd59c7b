"""Nomad2018: how stable and how transparent is an oxide of aluminium, gallium and indium?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.regression import rmsle
from mlebench.preparing.archives import extract_members
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, Number, Position, Submission

GUESS = {"formation_energy_ev_natom": 0.1779, "bandgap_energy_ev": 1.8892}

# Ids are not looked at: rows are compared in the order of the answers.
SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(target, low=0) for target in GUESS),
    matching=Position(),
)
SUBMISSION_V2 = replace(SUBMISSION, matching=ExactKey())


def prepare(raw: Path, public: Path, private: Path) -> None:
    materials = read_csv(raw / "train.csv.zip")
    train, test = (renumbered(part) for part in partition_rows(materials, test_size=0.1))
    write_csv(train, public / "train.csv")
    write_csv(test, private / "test.csv")
    write_csv(test.drop(columns=[*GUESS]), public / "test.csv")
    write_csv(test[["id"]].assign(**GUESS), public / "sample_submission.csv")
    old_ids = materials["id"]
    extract_members(
        raw / "train.zip",
        {
            f"train/{old}/geometry.xyz": public / side / str(new) / "geometry.xyz"
            for side, part in (("train", train), ("test", test))
            for old, new in zip(old_ids[part.index], part["id"])
        },
    )


def renumbered(part: pd.DataFrame) -> pd.DataFrame:
    return part.assign(id=range(1, len(part) + 1))


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return sum(rmsle(truth[target], predicted[target]) for target in GUESS) / len(GUESS)
