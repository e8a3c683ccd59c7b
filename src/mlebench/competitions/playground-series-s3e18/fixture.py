"""Made-up raw data of the Enzyme Substrate Dataset."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

from .task import LABELS

DESCRIPTORS = (
    "BertzCT", "Chi1", "Chi1n", "Chi1v", "Chi2n", "Chi2v", "Chi3v", "Chi4n", "EState_VSA1",
    "EState_VSA2", "ExactMolWt", "FpDensityMorgan1", "FpDensityMorgan2", "FpDensityMorgan3",
    "HallKierAlpha", "HeavyAtomMolWt", "Kappa3", "MaxAbsEStateIndex", "MinEStateIndex",
    "NumHeteroatoms", "PEOE_VSA10", "PEOE_VSA14", "PEOE_VSA6", "PEOE_VSA7", "PEOE_VSA8",
    "SMR_VSA10", "SMR_VSA5", "SlogP_VSA3", "VSA_EState9", "fr_COO", "fr_COO2",
)  # fmt: skip
COUNTS = ("NumHeteroatoms", "fr_COO", "fr_COO2")
SIZES = {"BertzCT": 400.0, "ExactMolWt": 300.0, "Chi4n": 0.01}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    labels = dict(zip(LABELS, rng.integers(0, 2, (len(LABELS), rows))))
    molecules = pd.DataFrame({"id": range(rows)})
    for number, name in enumerate(DESCRIPTORS):
        shown = labels[LABELS[number % len(LABELS)]]
        if name in COUNTS:
            molecules[name] = rng.poisson(1 + 3 * shown)
        else:
            molecules[name] = SIZES.get(name, 5.0) * rng.normal(1 + shown, 0.5)
    write_csv(molecules.assign(**labels), raw / "train.csv")
