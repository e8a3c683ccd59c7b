"""Made-up raw data of OpenVaccine."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

from .task import TARGETS

LENGTH, MEASURED = 9, 5
ERRORS = ("reactivity_error", *(f"deg_error_{name[4:]}" for name in TARGETS[1:]))
STABILITY = {"A": 1.0, "G": 0.6, "U": 0.4, "C": 0.2}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    names = [f"id_{name}" for name in hex_ids(rng, 63, 9)]
    records = [_molecule(rng, number, name) for number, name in enumerate(names)]
    _write_lines([record | _measured(rng, record) for record in records[3:]], raw / "train.json")
    _write_lines(records[:3], raw / "test.json")
    write_csv(pd.DataFrame(columns=["id_seqpos", *TARGETS]), raw / "sample_submission.csv")


def _molecule(rng: np.random.Generator, number: int, name: str) -> dict[str, Any]:
    def word(letters: str) -> str:
        return "".join(rng.choice([*letters], LENGTH))

    return {
        "index": number,
        "id": name,
        "sequence": word("AGUC"),
        "structure": word(".()"),
        "predicted_loop_type": word("SMIBHEX"),
        "seq_length": LENGTH,
        "seq_scored": MEASURED,
    }


def _measured(rng: np.random.Generator, molecule: dict[str, Any]) -> dict[str, Any]:
    """What depends on the base, with one value of more digits than are written."""
    base = np.array([STABILITY[letter] for letter in molecule["sequence"][:MEASURED]])
    values = {target: rng.normal(base, 0.1).round(4).tolist() for target in TARGETS}
    values["reactivity"][0] += 1e-12
    errors = {name: rng.uniform(0.01, 0.2, MEASURED).round(4).tolist() for name in ERRORS}
    noise = {"signal_to_noise": round(rng.uniform(0.5, 9), 3)}
    return noise | {"SN_filter": float(rng.random() < 0.7)} | errors | values


def _write_lines(records: list[dict[str, Any]], path: Path) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
