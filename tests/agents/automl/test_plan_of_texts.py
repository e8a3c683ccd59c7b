"""What takes long to tell of texts costs neither the quick features of columns nor their models."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl import pace
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.planning import bench as benches
from mlebench.agents.automl.automl.planning.bench import FEATURES, PLAIN, Bench
from mlebench.agents.automl.automl.planning.order import steps
from mlebench.agents.automl.automl.store import Store

ROWS, KNOWN, MEMORY = 210, 160, 1 << 30


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    chance = np.random.default_rng(0)
    words = [f"word{n}" for n in range(50)]
    table = pd.DataFrame(
        {
            "id": np.arange(ROWS) + 1000,
            "size": chance.normal(size=ROWS),
            "said": [" ".join(chance.choice(words, 8)) for _ in range(ROWS)],
            "heard": [" ".join(chance.choice(words, 9)) for _ in range(ROWS)],
        }
    )
    data = tmp_path / "data"
    data.mkdir()
    table[:KNOWN].assign(y=table["size"][:KNOWN]).to_csv(data / "train.csv", index=False)
    table[KNOWN:].to_csv(data / "test.csv", index=False)
    table[KNOWN:][["id"]].assign(y=0.5).to_csv(data / "sample_submission.csv", index=False)
    problem = infer(data, MEMORY)
    return Bench(problem, make_folds(problem, 0), Store(tmp_path / "scratch"), 0, 1)


def _kept(bench: Bench) -> list[str]:
    names: list[str] = bench.store.load(FEATURES).names
    return names


def test_quick_features_are_kept_whatever_comes_of_others(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("there are too many words")

    monkeypatch.setattr(benches, "meanings", fail)
    with pytest.raises(MemoryError):
        next(steps(bench)).work()
    assert {"size", "said signs"} <= {*_kept(bench)}
    assert bench.width == len(_kept(bench))


def test_what_there_is_no_time_for_is_left_out(bench: Bench) -> None:
    step = next(steps(bench))
    pace.end_in(0)
    try:
        step.work()
    finally:
        pace.end_in(float("inf"))
    assert "size" in _kept(bench)
    assert not [name for name in _kept(bench) if "meaning" in name or "alike" in name]


def test_what_there_is_time_for_is_made(bench: Bench) -> None:
    step = next(steps(bench))
    pace.end_in(1e9)
    try:
        step.work()
    finally:
        pace.end_in(float("inf"))
    names = _kept(bench)
    assert {"said meaning 0", "heard meaning 0", "said and heard alike in words"} <= {*names}


def test_models_of_columns_are_tried_as_soon_as_features_are_over(bench: Bench) -> None:
    plan = steps(bench)
    names = [step.name for step in islice(plan, 3)]
    assert names[0] == FEATURES
    assert PLAIN not in names
    bench.end(FEATURES)  # and nothing came of it
    assert PLAIN in [step.name for step in islice(plan, 6)]
