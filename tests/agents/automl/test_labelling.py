"""Classes are learned from folders and names of files where no table tells them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from mlebench.agents.automl.automl.labelling import labelled_by_tree


def _put(data: Path, *paths: str) -> None:
    for path in paths:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_text("")


def _told(data: Path, sample: pd.DataFrame) -> dict[str, object]:
    table = labelled_by_tree(data, sample, str(sample.columns[0]), list(sample.columns[1:]))
    assert table is not None
    return dict(zip(table.iloc[:, 0], table.iloc[:, 1], strict=True))


def test_folders_are_classes(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/{kind}/{n}.png" for kind in ("Oak tree", "Elm") for n in "abc"))
    _put(tmp_path, "test/x.png", "test/y.png")
    told = _told(tmp_path, pd.DataFrame({"file": ["x.png", "y.png"], "tree": ["Elm", "Elm"]}))
    assert told["train/Oak tree/a.png"] == "Oak tree"
    assert len(told) == 6


def test_columns_may_be_classes(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/{kind}/{n}.png" for kind in ("oak", "elm") for n in "abc"))
    _put(tmp_path, "test/x.png")
    told = _told(tmp_path, pd.DataFrame({"file": ["x"], "elm": [0.5], "oak": [0.5]}))
    assert set(told.values()) == {"elm", "oak"}


def test_names_begin_with_classes(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/{kind}.{n}.jpg" for kind in ("hen", "fox") for n in range(4)))
    _put(tmp_path, *(f"test/{n}.jpg" for n in range(3)))
    sample = pd.DataFrame({"id": [0, 1, 2], "label": 0.5})
    assert _told(tmp_path, sample)["train/hen.2.jpg"] == 1  # the later one in the alphabet
    (tmp_path / "description.md").write_text("Predict the probability that it is a fox, no hen.")
    told = _told(tmp_path, sample)
    assert (told["train/hen.2.jpg"], told["train/fox.3.jpg"]) == (0, 1)


def test_names_end_in_classes(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/20{n}_TRAIN{n}_{n % 2}.aif" for n in range(10, 20)))
    _put(tmp_path, *(f"test/20{n}_Test{n}.aif" for n in range(4)))
    sample = pd.DataFrame({"clip": [f"20{n}_Test{n}.aif" for n in range(4)], "probability": 0})
    told = _told(tmp_path, sample)
    assert told["train/2011_TRAIN11_1.aif"] == 1
    assert sum(int(str(label)) for label in told.values()) == 5


@pytest.mark.parametrize("nothing", ["Cover", "normal", "no_find", "0"])
def test_all_folders_but_that_of_nothing_are_positive(nothing: str, tmp_path: Path) -> None:
    _put(tmp_path, *(f"{kind}/{n}.jpg" for kind in (nothing, "A1", "Zeta") for n in "abc"))
    _put(tmp_path, "Test/01.jpg", "Test/02.jpg")
    told = _told(tmp_path, pd.DataFrame({"Id": ["01.jpg", "02.jpg"], "Label": [0, 0]}))
    assert (told[f"{nothing}/a.jpg"], told["A1/a.jpg"], told["Zeta/b.jpg"]) == (0, 1, 1)


def test_files_without_classes_are_left_alone(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/{n}.jpg" for n in range(8)), "test/9.jpg")
    sample = pd.DataFrame({"id": [9], "label": [0.5]})
    assert labelled_by_tree(tmp_path, sample, "id", ["label"]) is None
