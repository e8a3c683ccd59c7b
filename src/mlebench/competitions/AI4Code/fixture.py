"""Made-up raw data of AI4Code."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids, sentence
from mlebench.preparing.tables import write_csv, write_json

NOTEBOOKS = 110
# How many notebooks were made from the same one; all others have no relatives.
FAMILIES = (4, 3, 2, 2)


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    ids = sorted(hex_ids(rng, NOTEBOOKS, 14))
    sizes = [*FAMILIES, *[1] * (NOTEBOOKS - sum(FAMILIES))]
    family = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    first = dict(zip(family[::-1], ids[::-1]))
    parents = [first[number] for number in family]
    ancestors = pd.DataFrame(
        {
            "id": ids,
            "ancestor_id": np.array(hex_ids(rng, len(sizes), 8))[family],
            "parent_id": [None if name == parent else parent for name, parent in zip(ids, parents)],
        }
    )
    write_csv(ancestors, raw / "train_ancestors.csv")
    orders = [_write_notebook(rng, raw / "train" / f"{name}.json") for name in ids]
    write_csv(pd.DataFrame({"id": ids, "cell_order": orders}), raw / "train_orders.csv")


def _write_notebook(rng: np.random.Generator, path: Path) -> str:
    """A notebook whose texts announce the code below them; returns the order of its cells."""
    order, texts, code = [], {}, {}
    cells = hex_ids(rng, 2 * int(rng.integers(1, 6)), 8)
    for step, (text, line) in enumerate(zip(cells[::2], cells[1::2])):
        texts[text] = f'## Step {step}: "{sentence(rng, 3)}"'
        code[line] = f"step_{step} = {sentence(rng, 2).split()}\nprint(step_{step})"
        order += [text, line]
    shuffled = {name: texts[name] for name in rng.permutation([*texts]).tolist()}
    kinds = dict.fromkeys(code, "code") | dict.fromkeys(texts, "markdown")
    source = code | shuffled
    write_json({"cell_type": {name: kinds[name] for name in source}, "source": source}, path)
    return " ".join(order)
