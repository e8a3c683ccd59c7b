"""Pictures of rows become small squares, and it is told what is missing to make use of them."""

from __future__ import annotations

import json
import zipfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mlebench.agents.automl.automl.features.columns import columns_of
from mlebench.agents.automl.automl.features.files import files_of_problem
from mlebench.agents.automl.automl.features.pictures import (
    Squares,
    columns_of_squares,
    pictures_among,
    squares_in_columns,
    squares_of,
)
from mlebench.agents.automl.automl.features.unread import Unread
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.planning import pictures
from mlebench.agents.automl.automl.planning.bench import FEATURES, FILES, Bench
from mlebench.agents.automl.automl.planning.order import steps
from mlebench.agents.automl.automl.planning.step import Notes, Step
from mlebench.agents.automl.automl.store import Store

ROWS, ASKED = 48, 12
MEMORY, MUCH = 1 << 30, 4 << 30
SIDES = (16, 32, 64)


def _data(folder: Path, *, side: int = 20, colour: bool = False) -> Path:
    """Rows of two classes, each with a picture."""
    rng = np.random.default_rng(0)
    shape = (side, side, 3) if colour else (side, side)
    for n in range(ROWS + ASKED):
        place = folder / ("train" if n < ROWS else "test") / f"p{n}.png"
        place.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, shape, dtype=np.uint8)).save(place)
    (folder / "train.csv").write_text("id,kind\n" + "".join(f"p{n},{n % 2}\n" for n in range(ROWS)))
    asked = "".join(f"p{n},0\n" for n in range(ROWS, ROWS + ASKED))
    (folder / "sample_submission.csv").write_text("id,kind\n" + asked)
    return folder


def _squares(data: Path, size: int = MEMORY, seconds: float = 60.0) -> Squares | None:
    kind = pictures_among(files_of_problem(infer(data, MEMORY), Unread()))
    assert kind is not None
    return squares_of(data, kind, SIDES, size, seconds, 0, Unread())


def _listed(folder: Path, side: int = 20) -> Path:
    """The same with two pictures in the columns of a table."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    rows = [
        {"id": f"p{n}", **{name: rng.normal(size=side * side).tolist() for name in ("hh", "hv")}}
        for n in range(ROWS + ASKED)
    ]
    known = [{**row, "kind": n % 2} for n, row in enumerate(rows[:ROWS])]
    (folder / "train.json").write_text(json.dumps(known))
    (folder / "test.json").write_text(json.dumps(rows[ROWS:]))
    asked = "".join(f"p{n},0\n" for n in range(ROWS, ROWS + ASKED))
    (folder / "sample_submission.csv").write_text("id,kind\n" + asked)
    return folder


def _bench(folder: Path, data: Path, memory: int = MUCH) -> Bench:
    problem = infer(data, MEMORY)
    folds = make_folds(problem, 0)
    return Bench(problem, folds, Store(folder / "scratch"), 0, 1, memory=memory)


def _planned(bench: Bench) -> list[Step]:
    """The steps of a plan of which those are done that others wait for."""
    tried = []
    for step in islice(steps(bench), 40):
        if step.name in (FEATURES, FILES, pictures.SQUARES):
            assert step.work() is None
            bench.end(step.name)
        tried.append(step)
    return tried


def test_pictures_become_squares_that_are_no_larger_than_need_be(tmp_path: Path) -> None:
    squares = _squares(_data(tmp_path))
    assert squares is not None
    assert squares.pixels.shape == (ROWS + ASKED, 32, 32, 1)
    assert squares.is_known.all()
    assert not squares.is_shrunk


def test_colours_are_kept(tmp_path: Path) -> None:
    squares = _squares(_data(tmp_path, side=100, colour=True))
    assert squares is not None
    assert squares.pixels.shape == (ROWS + ASKED, 64, 64, 3)
    assert squares.is_shrunk


def test_squares_are_as_small_as_memory_wants_them(tmp_path: Path) -> None:
    data = _data(tmp_path, side=100)
    squares = _squares(data, size=(ROWS + ASKED) * 32 * 32)
    assert squares is not None
    assert squares.side == 32
    assert _squares(data, size=(ROWS + ASKED) * 16 * 16 - 1) is None


def test_pictures_that_cannot_be_read_cost_only_themselves(tmp_path: Path) -> None:
    data = _data(tmp_path)
    (data / "train" / "p3.png").write_bytes(b"no picture")
    cut_off = (data / "test" / f"p{ROWS}.png").read_bytes()[:60]
    (data / "test" / f"p{ROWS}.png").write_bytes(cut_off)
    (data / "train" / "p5.png").unlink()
    squares = _squares(data)
    assert squares is not None
    assert np.flatnonzero(~squares.is_known).tolist() == [3, 5, ROWS]
    assert not squares.pixels[3].any()


def test_pictures_are_found_in_archives_too(tmp_path: Path) -> None:
    data = _data(tmp_path)
    plain = _squares(data)
    with zipfile.ZipFile(data / "train.zip", "w") as packed:
        for place in sorted((data / "train").iterdir()):
            packed.write(place, f"train/{place.name}")
            place.unlink()
    (data / "train").rmdir()
    squares = _squares(data)
    assert plain is not None
    assert squares is not None
    assert np.array_equal(squares.pixels, plain.pixels)


def test_without_time_there_are_none(tmp_path: Path) -> None:
    assert _squares(_data(tmp_path), seconds=0.0) is None


def test_rows_with_several_pictures_have_none_of_their_own(tmp_path: Path) -> None:
    data = _data(tmp_path)
    for n in range(ROWS + ASKED):
        folder = data / ("train" if n < ROWS else "test")
        one = folder / f"p{n}.png"
        (folder / f"p{n}").mkdir()
        for number in range(3):
            (folder / f"p{n}" / f"{number}.png").write_bytes(one.read_bytes())
        one.unlink()
    assert pictures_among(files_of_problem(infer(data, MEMORY), Unread())) is None


def test_lists_that_fill_squares_are_channels(tmp_path: Path) -> None:
    problem = infer(_listed(tmp_path / "data"), MEMORY)
    columns = columns_of(problem.train, problem.test)
    assert columns_of_squares(columns) == ["hh", "hv"]
    channels = [column for column in columns if column.holds == "signals"]
    squares = squares_in_columns(channels, (16, 20), MEMORY)
    assert squares is not None
    assert squares.pixels.shape == (ROWS + ASKED, 20, 20, 2)
    assert squares.is_known.all()
    assert not squares.is_shrunk
    told = np.array(problem.train["hv"][3]).reshape(20, 20)
    assert np.corrcoef(told.ravel(), squares.pixels[3, :, :, 1].ravel())[0, 1] > 0.99
    assert squares_in_columns(channels, SIDES, 1000) is None


def test_networks_look_at_pictures_in_columns_among_the_models_of_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "is_installed", lambda: True)
    bench = _bench(tmp_path, _listed(tmp_path / "data"))
    names = [step.name for step in _planned(bench)]
    assert not bench.store.has(FILES)
    assert names.index(pictures.SQUARES) < 8
    assert bench.store.load(pictures.SQUARES).pixels.shape[-1] == 2
    networks = [name for name in names if "convolutions" in name]
    assert len({*networks}) == len(networks) >= 3


def test_networks_come_after_the_quick_models_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "is_installed", lambda: True)
    planned = _planned(_bench(tmp_path, _data(tmp_path / "data", side=80)))
    names = [step.name for step in planned]
    first = names.index(pictures.SQUARES)
    assert sum(name.endswith("with files") for name in names[:first]) >= 2
    networks = [step for step in planned if "convolutions" in step.name]
    assert len({step.name for step in networks}) == len(networks) >= 3
    assert {step.after for step in networks} == {pictures.SQUARES, pictures.LARGER}


def test_a_plan_without_the_library_says_so_once_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "is_installed", lambda: False)
    planned = _planned(_bench(tmp_path, _data(tmp_path / "data")))
    places = [place for place, step in enumerate(planned) if pictures.LIBRARY in step.name]
    assert len(places) == 1
    assert len(planned) > places[0] + 1
    told = planned[places[0]].work()
    assert isinstance(told, Notes)
    assert [found["library"] for found in told.found] == [pictures.LIBRARY]
    assert not any("convolutions" in step.name for step in planned)


def test_with_little_memory_no_network_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "is_installed", lambda: True)
    bench = _bench(tmp_path, _data(tmp_path / "data"), memory=MEMORY)
    names = [step.name for step in _planned(bench)]
    assert not any("pictures" in name or "convolutions" in name for name in names)


def test_without_pictures_nothing_is_said_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "is_installed", lambda: False)
    data = _data(tmp_path / "data")
    for place in [*data.glob("*/*.png")]:
        place.with_suffix(".txt").write_text(f"size {len(place.name)} {place.stat().st_size}\n")
        place.unlink()
    names = [step.name for step in _planned(_bench(tmp_path, data))]
    assert not any(pictures.LIBRARY in name for name in names)
