"""AI4Code: in which order do the cells of a notebook belong?"""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.ranking import kendall_tau
from mlebench.preparing.files import place_all
from mlebench.preparing.tables import read_csv, read_json, write_csv
from mlebench.submission import Permutation, Submission

NOTEBOOKS, TEST_NOTEBOOKS = 139_256, 20_000
CELL_IDS = "[0-9a-f]{8}( [0-9a-f]{8})*"

SUBMISSION = Submission(
    key="id", columns=(Permutation("cell_order", of="cells"),), public=("cells",)
)


def prepare(raw: Path, public: Path, private: Path, test_size: int | None = None) -> None:
    ancestors = read_csv(raw / "train_ancestors.csv").sample(frac=1, random_state=0)
    if test_size is None:
        test_size = TEST_NOTEBOOKS * len(ancestors) // NOTEBOOKS
    is_test = ancestors["ancestor_id"].isin(filling(ancestors["ancestor_id"], test_size))
    train_ids, test_ids = ancestors["id"][~is_test], ancestors["id"][is_test]
    orders = read_csv(raw / "train_orders.csv")
    answers = orders[orders["id"].isin(test_ids)]
    write_csv(orders[orders["id"].isin(train_ids)], public / "train_orders.csv")
    write_csv(answers, private / "test_orders.csv")
    write_csv(ancestors[~is_test], public / "train_ancestors.csv")
    shown = [read_json(raw / "train" / f"{name}.json")["cell_type"] for name in answers["id"]]
    write_csv(
        answers.assign(cell_order=[" ".join(cells) for cells in shown]),
        public / "sample_submission.csv",
    )
    place_all(train_ids + ".json", raw / "train", public / "train")
    place_all(test_ids + ".json", raw / "train", public / "test")


def filling(groups: pd.Series, room: int) -> list[str]:
    """Groups in the order in which they appear, each as long as there is room for all of it."""
    chosen = []
    for group, size in Counter(groups).items():
        if size <= room:
            chosen.append(group)
            room -= size
    return chosen


def public_table(answers: pd.DataFrame) -> pd.DataFrame:
    """The cells of each notebook, which everybody may know, but not in their true order."""
    orders = answers["cell_order"]
    if not orders.str.fullmatch(CELL_IDS).all():
        raise ValueError("these are no cells")
    return answers[["id"]].assign(cells=[" ".join(sorted(order.split())) for order in orders])


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # Predictions are places in the sorted list of cells; where each of them belongs is its rank.
    ranks = (np.array(order.split()).argsort() for order in truth["cell_order"])
    return kendall_tau(own[places] for own, places in zip(ranks, predicted["cell_order"]))
