"""What files tell is used as soon as it is known, and only then."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.plan import FILES, Bench, Step, steps
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
        if step.name == FILES:
            assert step.work() is None
        if len(tried) > 8:
            break
    names = [step.name for step in tried]
    assert FILES in names[:4]
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
    first, second = next(plan), next(plan)
    assert (first.name, second.after) == (FILES, FILES)
