"""Nomad2018: how stable and how transparent is an oxide of aluminium, gallium and indium?"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.archives import extract_members, pack
from mlebench.metrics.regression import rmsle
from mlebench.splits import split_rows
from mlebench.submission import Number, Submission
from mlebench.tables import read_csv, write_csv

GUESS = {"formation_energy_ev_natom": 0.1779, "bandgap_energy_ev": 1.8892}

# Ids are not looked at: rows are compared in the order of the answers.
SUBMISSION = Submission(
    key="id",
    columns=tuple(Number(target, low=0) for target in GUESS),
    match="position",
)
SUBMISSION_V2 = replace(SUBMISSION, match="key")


def prepare(raw: Path, public: Path, private: Path) -> None:
    materials = read_csv(raw / "train.csv.zip")
    train, test = (renumbered(part) for part in split_rows(materials, test_size=0.1))
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


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    ids = range(1, rows + 1)
    aluminium, gallium, indium = rng.multinomial(16, [0.4, 0.3, 0.3], rows).T / 16
    lengths = rng.uniform(5, 20, (rows, 3)).round(4)
    angles = rng.normal(90, 0.1, (rows, 3)).round(4)
    materials = pd.DataFrame(
        {
            "id": ids,
            "spacegroup": rng.choice([12, 33, 167, 194, 206, 227], rows),
            "number_of_total_atoms": rng.choice([10.0, 20.0, 30.0, 40.0, 60.0, 80.0], rows),
            "percent_atom_al": aluminium,
            "percent_atom_ga": gallium,
            "percent_atom_in": indium,
            **{f"lattice_vector_{axis + 1}_ang": lengths[:, axis] for axis in range(3)},
            "lattice_angle_alpha_degree": angles[:, 0],
            "lattice_angle_beta_degree": angles[:, 1],
            "lattice_angle_gamma_degree": angles[:, 2],
            "formation_energy_ev_natom": rng.normal(0.1 + 0.2 * indium, 0.01).round(4),
            "bandgap_energy_ev": rng.normal(1 + 4 * aluminium, 0.1).round(4),
        }
    )
    pack(raw / "train.csv.zip", {"train.csv": materials.to_csv(index=False)})
    geometries = {f"train/{k}/geometry.xyz": geometry(k, cell) for k, cell in zip(ids, lengths)}
    pack(raw / "train.zip", geometries)


def geometry(material: int, lengths: np.ndarray) -> str:
    vectors = "".join(f"lattice_vector {x} {y} {z}\n" for x, y, z in np.diag(lengths))
    return f"# material {material}\n{vectors}atom 0.0 0.0 0.0 Al\natom 1.5 0.0 0.0 O\n"
