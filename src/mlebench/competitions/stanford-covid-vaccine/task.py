"""OpenVaccine: how fast does each base of an RNA molecule degrade?"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.metrics.regression import FAR_TOO_MUCH, mean_columnwise_rmse
from mlebench.preparing.tables import read_json_table, with_each, write_csv, write_json_table
from mlebench.submission import Ignored, Number, NumberWhere, Submission

TARGETS = ("reactivity", "deg_Mg_pH10", "deg_pH10", "deg_Mg_50C", "deg_50C")
SCORED = ["reactivity", "deg_Mg_pH10", "deg_Mg_50C"]
DIGITS = "%.10f"


@dataclass(frozen=True)
class NumberByRow(NumberWhere):
    """A number in the rows whose place in the file is that of a measured base."""

    def marked(self, cells: pd.Series, public: pd.DataFrame) -> np.ndarray:
        """Which cells are looked at, by their rows in the file instead of their ids."""
        return super().marked(cells, public)[cells.index]


# Participants know from `seq_scored` which bases are measured.
SUBMISSION = Submission(
    key="id_seqpos",
    columns=tuple(
        NumberByRow(target, where=("keep", True)) if target in SCORED else Ignored(target)
        for target in TARGETS
    ),
    public=("keep",),
)
SUBMISSION_V2 = replace(
    SUBMISSION,
    columns=tuple(Number(target, low=-FAR_TOO_MUCH, high=FAR_TOO_MUCH) for target in TARGETS),
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    molecules = read_json_table(raw / "train.json")
    shown = read_json_table(raw / "test.json").columns
    clean = molecules[molecules["SN_filter"] > 0]
    is_test = molecules.index.isin(clean.sample(n=len(molecules) // 10, random_state=0).index)
    train, test = numbered(molecules[~is_test]), numbered(molecules[is_test])
    write_json_table(train, public / "train.json")
    write_json_table(test[shown], public / "test.json")
    answers = pd.concat([_bases(molecule) for molecule in test.itertuples()])
    write_csv(answers, private / "test.csv", float_format=DIGITS)
    sample = with_each(answers[["id_seqpos"]].reset_index(drop=True), TARGETS, 0.0)
    write_csv(sample, public / "sample_submission.csv", float_format=DIGITS)


def numbered(molecules: pd.DataFrame) -> pd.DataFrame:
    return molecules.assign(index=range(len(molecules)))


def _bases(molecule: Any) -> pd.DataFrame:
    """A row for each base of a molecule; those beyond the measured ones hold zeros."""
    length, scored = molecule.seq_length, molecule.seq_scored
    names = [f"{molecule.id}_{position}" for position in range(length)]
    measured = {target: [*getattr(molecule, target)] for target in TARGETS}
    filled = {target: values + [0.0] * (length - scored) for target, values in measured.items()}
    return pd.DataFrame({"id_seqpos": names} | filled).assign(keep=np.arange(length) < scored)


def score(truth: pd.DataFrame, predicted: pd.DataFrame, rows: np.ndarray) -> float:
    by_id = np.argsort(truth["id_seqpos"].to_numpy(str))
    kept = truth["keep"].to_numpy()
    # The original drops rows by their place in the file, then compares what is left in id order.
    true, guessed = by_id[kept[by_id]], by_id[kept[rows[by_id]]]
    return mean_columnwise_rmse(truth[SCORED].iloc[true], predicted[SCORED].iloc[guessed])


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_columnwise_rmse(*(side.loc[truth["keep"], SCORED] for side in (truth, predicted)))
