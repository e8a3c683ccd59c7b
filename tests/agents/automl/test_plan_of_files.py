"""What files tell is used as soon as it is known, and only then."""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.planning.bench import FEATURES, FILES, Bench
from mlebench.agents.automl.automl.planning.order import steps
from mlebench.agents.automl.automl.planning.step import Step
from mlebench.agents.automl.automl.problem import Prediction
from mlebench.agents.automl.automl.store import Store

ROWS, ASKED, MEMORY = 24, 6, 1 << 30


def _problem(data: Path, *, has_files: bool) -> None:
    data.mkdir()
    rows = [f"{n},{n % 5},{n % 7 + 0.5}" for n in range(ROWS)]
    (data / "train.csv").write_text("\n".join(["id,colour,size", *rows]))
    asked = [str(n) for n in range(ROWS, ROWS + ASKED)]
    (data / "test.csv").write_text("\n".join(["id,colour", *(f"{n},1" for n in asked)]))
    (data / "sample_submission.csv").write_text("\n".join(["id,size", *(f"{n},1" for n in asked)]))
    for n in range(ROWS + ASKED) if has_files else ():
        folder = data / ("train" if n < ROWS else "test") / str(n)
        folder.mkdir(parents=True)
        (folder / "told.txt").write_text(f"size {n % 7 + 0.5}\n")


def _bench(folder: Path, *, has_files: bool) -> Bench:
    _problem(folder / "data", has_files=has_files)
    problem = infer(folder / "data", MEMORY)
    return Bench(problem, make_folds(problem, 0), Store(folder / "scratch"), 0, 1)


@pytest.mark.parametrize("has_files", [False, True])
def test_all_is_tried_with_files_once_they_are_read(has_files: bool, tmp_path: Path) -> None:
    bench = _bench(tmp_path, has_files=has_files)
    tried: list[Step] = []
    for step in steps(bench):
        tried.append(step)
        if step.name in (FEATURES, FILES):
            assert step.work() is None
        if len(tried) > 8:
            break
    names = [step.name for step in tried]
    assert FILES in names[:5]
    with_files = [step for step in tried if step.after == FILES]
    assert bool(with_files) is has_files
    if has_files:
        assert tried[names.index(FILES) + 1] is with_files[0]  # and nothing without them any more
        assert bench.store.load(FILES).names == ["told .txt size value 0"]
        prediction = with_files[0].work()
        assert prediction is not None
        assert len(prediction.test) == ASKED


def test_rows_of_which_tables_tell_nothing_are_known_by_their_files(tmp_path: Path) -> None:
    _problem(tmp_path / "data", has_files=True)
    for name in ("train", "test"):
        table = pd.read_csv(tmp_path / "data" / f"{name}.csv").drop(columns="colour")
        table.to_csv(tmp_path / "data" / f"{name}.csv", index=False)
    problem = infer(tmp_path / "data", MEMORY)
    bench = Bench(problem, make_folds(problem, 0), Store(tmp_path / "scratch"), 0, 1)
    plan = steps(bench)
    next(plan).work()  # there are no features of columns
    names = [(step.name, step.after) for step in islice(plan, 3)]
    assert names[1:] == [(FILES, None), ("linear 0.1 with files", FILES)]


@pytest.mark.parametrize("copies", [0, 20])
def test_rows_without_files_are_not_learned_from_where_others_have_some(
    copies: int, tmp_path: Path
) -> None:
    _problem(tmp_path / "data", has_files=True)
    for told in list(tmp_path.rglob("told.txt")):
        for copy in range(copies):
            shutil.copy(told, told.with_name(f"told{copy}.txt"))
    for n in (0, 3, 8):
        for told in (tmp_path / "data" / "train" / str(n)).iterdir():
            told.unlink()
    problem = infer(tmp_path / "data", MEMORY)
    bench = Bench(problem, make_folds(problem, 0), Store(tmp_path / "scratch"), 0, 1)
    for step in steps(bench):
        made = step.work() if step.name in (FEATURES, FILES) or step.after == FILES else None
        if isinstance(made, Prediction):
            unknown = np.flatnonzero(np.isnan(made.held_out).any(axis=1))
            assert unknown.tolist() == [0, 3, 8]
            assert np.isfinite(made.test).all()
            break
    else:
        pytest.fail("nothing was predicted with files")


def test_few_rows_with_many_columns_are_told_apart_without_their_files_too(tmp_path: Path) -> None:
    _problem(tmp_path / "data", has_files=True)
    chance = np.random.default_rng(0)
    for name in ("train", "test"):
        table = pd.read_csv(tmp_path / "data" / f"{name}.csv")
        for place in range(10):
            table[f"told {place}"] = chance.normal(size=len(table))
        if name == "train":
            table["size"] = [f"kind {n % 3}" for n in range(ROWS)]
        table.to_csv(tmp_path / "data" / f"{name}.csv", index=False)
    problem = infer(tmp_path / "data", MEMORY)
    bench = Bench(problem, make_folds(problem, 0), Store(tmp_path / "scratch"), 0, 1)
    names = []
    for step in islice(steps(bench), 60):
        names.append(step.name)
        if step.name in (FEATURES, FILES):
            step.work()
    alone = [name for name in names if "shrunk" in name and not name.endswith("with files")]
    joined = [name for name in names if "shrunk" in name and name.endswith("with files")]
    assert len(alone) == len({*alone}) == len(joined)
    assert names.index(alone[0]) < names.index(FILES) + 8
