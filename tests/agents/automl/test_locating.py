"""Files are found by row, wherever they are."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import py7zr
import pytest

from mlebench.agents.automl.automl.features.files import frame_of_files
from mlebench.agents.automl.automl.features.locating import Kind, locate, names_of_files
from mlebench.agents.automl.automl.features.troves import contents, entries
from mlebench.agents.automl.automl.features.unread import Unread


def _put(data: Path, *paths: str) -> None:
    for path in paths:
        (data / path).parent.mkdir(parents=True, exist_ok=True)
        (data / path).write_text(path)


def _found(data: Path, train: list[str], test: list[str]) -> list[Kind]:
    return locate(entries(data, Unread()), [train], [test])


def _paths(rows: list[tuple[object, ...]]) -> list[list[str]]:
    return [[entry.path for entry in row] for row in rows]  # type: ignore[attr-defined]


def test_names_that_begin_anew_are_looked_for_in_the_right_folder(tmp_path: Path) -> None:
    _put(tmp_path, *(f"{part}/{n}/shape.xyz" for part in ("train", "test") for n in (1, 2, 10)))
    (kind,) = _found(tmp_path, ["1", "2", "10"], ["2", "1"])
    assert _paths(kind.train) == [[f"train/{n}/shape.xyz"] for n in (1, 2, 10)]  # type: ignore[arg-type]
    assert _paths(kind.test) == [[f"test/{n}/shape.xyz"] for n in (2, 1)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ("train_images/{}.png", "test_images/{}.png"),
        ("jpeg/train/{}.png", "jpeg/test/{}.png"),
        ("train/ab/{}.png", "test/cd/{}.png"),
        ("train_images/oak/{}.png", "test_images/{}.png"),
        ("images/{}.png", "images/{}.png"),
    ],
)
@pytest.mark.parametrize("has_suffix", [False, True])
def test_files_are_found_by_stem_and_by_name(
    train: str, test: str, has_suffix: bool, tmp_path: Path
) -> None:
    _put(tmp_path, *(train.format(name) for name in ("a1", "a2")), test.format("b1"), "table.csv")
    ending = ".png" if has_suffix else ""
    (kind,) = _found(tmp_path, [f"a1{ending}", f"a2{ending}"], [f"b1{ending}"])
    assert kind.suffix == ".png"
    assert _paths(kind.train + kind.test) == [  # type: ignore[arg-type]
        [train.format("a1")], [train.format("a2")], [test.format("b1")]
    ]  # fmt: skip


def test_numbered_files_of_a_folder_are_of_one_kind_and_in_order(tmp_path: Path) -> None:
    _put(tmp_path, *(f"{row}/{n}.dcm" for row in ("train/p1", "test/p2") for n in (1, 2, 10)))
    (kind,) = _found(tmp_path, ["p1"], ["p2"])
    assert _paths(kind.train) == [["train/p1/1.dcm", "train/p1/2.dcm", "train/p1/10.dcm"]]  # type: ignore[arg-type]


def test_files_with_other_names_are_of_other_kinds(tmp_path: Path) -> None:
    _put(tmp_path, *(f"{row}/{n}.npy" for row in ("train/p1", "test/p2") for n in ("red", "blue")))
    assert len(_found(tmp_path, ["p1"], ["p2"])) == 2


def test_files_that_rows_to_predict_have_not_are_left_out(tmp_path: Path) -> None:
    _put(tmp_path, "train/images/a.png", "train/masks/a.png", "test/images/b.png")
    (kind,) = _found(tmp_path, ["a"], ["b"])
    assert _paths(kind.train) == [["train/images/a.png"]]  # type: ignore[arg-type]


def test_other_columns_name_files_as_well() -> None:
    train = pd.DataFrame({"id": [1, 2], "picture": ["p/x.png", "p/y.png"], "size": [1.5, 2.5]})
    test = pd.DataFrame({"id": [3, 4], "picture": ["p/z.png", "p/w.png"], "size": [0.5, 2.0]})
    known, asked = names_of_files(["1", "2"], ["3", "4"], train, test)
    assert known == [["1", "2"], ["p/x.png", "p/y.png"]]
    assert asked == [["3", "4"], ["p/z.png", "p/w.png"]]


@pytest.mark.parametrize("ending", [".zip", ".tar.gz", ".7z"])
def test_files_in_archives_are_read_without_unpacking(ending: str, tmp_path: Path) -> None:
    for part, names in (("train", "ab"), ("test", "c")):
        _archive(tmp_path / f"{part}{ending}", {f"{name}.txt": f"{name} 1 2" for name in names})
    (kind,) = _found(tmp_path, ["a", "b"], ["c"])
    asked = [row[0] for row in kind.train + kind.test]
    assert dict(contents(tmp_path, asked, Unread())) == {0: b"a 1 2", 1: b"b 1 2", 2: b"c 1 2"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"test{ending}", f"train{ending}"]


def test_an_archive_that_is_unpacked_beside_is_not_read(tmp_path: Path) -> None:
    _archive(tmp_path / "train.zip", {"a.txt": "1"})
    _put(tmp_path, "train/a.txt")
    assert [entry.path for entry in entries(tmp_path, Unread())] == ["train/a.txt"]


def _archive(path: Path, files: dict[str, str]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    elif path.suffix == ".7z":
        with py7zr.SevenZipFile(path, "w") as seven:
            for name, text in files.items():
                seven.writestr(text, name)
    else:
        with tarfile.open(path, "w:gz") as tape:
            for name, text in files.items():
                about = tarfile.TarInfo(name)
                about.size = len(text)
                tape.addfile(about, io.BytesIO(text.encode()))


def test_features_are_in_the_order_of_rows_and_repeatable(tmp_path: Path) -> None:
    for part, count in (("train", 6), ("test", 3)):
        _put(tmp_path, *(f"{part}/{n}.txt" for n in range(count)))
        for n in range(count):
            text = "\n".join(f"level {n + k}" for k in range(3))
            (tmp_path / part / f"{n}.txt").write_text(text if n != 1 else "damaged \0\n")
    names = ["0", "1", "2", "3", "4", "5"], ["2", "0", "1"]
    kinds = _found(tmp_path, *names)
    frame = frame_of_files(tmp_path, kinds, 6, 60.0, seed=0, unread=Unread())
    again = frame_of_files(tmp_path, kinds, 6, 60.0, seed=0, unread=Unread())
    assert frame.names == again.names
    assert np.array_equal(frame.matrix, again.matrix, equal_nan=True)
    column = frame.columns[frame.names.index(".txt level value 0")]
    assert np.array_equal(column, [0, np.nan, 2, 3, 4, 5, 2, 0, np.nan], equal_nan=True)


def test_without_time_nothing_is_told(tmp_path: Path) -> None:
    _put(tmp_path, *(f"train/{n}.txt" for n in range(3)), "test/9.txt")
    kinds = _found(tmp_path, ["0", "1", "2"], ["9"])
    assert frame_of_files(tmp_path, kinds, 3, 0.0, seed=0, unread=Unread()).names == []
