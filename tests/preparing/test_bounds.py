"""Ids of raw tables never lead out of the folders of a competition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import DataSourceError
from mlebench.preparing.archives import extract_members, pack, pack_7z, pack_tar, packing, unpacked
from mlebench.preparing.bounds import bounded
from mlebench.preparing.bson import write_documents
from mlebench.preparing.files import copy_each, place, place_all, place_each, place_tree
from mlebench.preparing.tables import (
    append_jsonl,
    read_csv,
    read_json,
    write_array_rows,
    write_csv,
    write_json,
    write_parquet,
    write_text,
)
from mlebench.preparing.tfrecords import write_records
from mlebench.registry import Registry
from tests.helpers import add_competition, file_digests

TABLE = pd.DataFrame({"x": [1]})
EVIL = ("../../x", "/{outside}/x", "a\0b", "deep/../../../x", "..")


@pytest.fixture
def work(tmp_path: Path) -> Iterator[Path]:
    """Folders of a competition inside of which everything happens, and a stranger's file."""
    for folder in ("raw", "prepared/public", "prepared/private", "own"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x").write_text(folder)
    (tmp_path / "x").write_text("a stranger's")
    before = file_digests(tmp_path)
    prepared = tmp_path / "prepared"
    with bounded(tmp_path / "raw", prepared / "public", prepared / "private", tmp_path / "own"):
        yield tmp_path
    assert file_digests(tmp_path) == before


def evil(name: str, work: Path) -> str:
    return name.replace("/{outside}", str(work))


TAKING: dict[str, Callable[[Path, Path], object]] = {
    "place": lambda source, public: place(source, public / "new"),
    "place_each": lambda source, public: place_each([(source, public / "new")]),
    "copy_each": lambda source, public: copy_each([(source, public / "new")]),
    "place_tree": lambda source, public: place_tree(source, public / "new"),
    "pack": lambda source, public: pack(public / "new", {"x": source}),
    "pack_tar": lambda source, public: pack_tar(public / "new", {"x": source}),
    "pack_7z": lambda source, public: pack_7z(public / "new", {"x": source}),
    "read_csv": lambda source, public: read_csv(source),
    "read_json": lambda source, public: read_json(source),
    "extract_members": lambda source, public: extract_members(source, {"x": public / "new"}),
}


@pytest.mark.parametrize("name", EVIL[:-1])
@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_nothing_is_taken_from_elsewhere(
    take: Callable[[Path, Path], object], name: str, work: Path
) -> None:
    public = work / "prepared" / "public"
    name = evil(name, work)
    with pytest.raises(DataSourceError) as caught:
        take(work / "raw" / name, public)
    assert repr(name).strip("'").split("/")[-1] in str(caught.value)
    (public / "new").unlink(missing_ok=True)  # an archive that was begun


WRITING: dict[str, Callable[[Path], object]] = {
    "place": lambda target: place(target.parents[-1] / "none", target),
    "write_csv": lambda target: write_csv(TABLE, target),
    "write_csv appending": lambda target: write_csv(TABLE, target, mode="a"),
    "write_parquet": lambda target: write_parquet(TABLE, target),
    "write_json": lambda target: write_json([1], target),
    "write_text": lambda target: write_text("new", target),
    "append_jsonl": lambda target: append_jsonl([1], target),
    "write_array_rows": lambda target: write_array_rows(np.arange(3), [0], target),
    "pack": lambda target: pack(target, {"x": "new"}),
    "pack_tar": lambda target: pack_tar(target, {"x": b"new"}),
    "pack_7z": lambda target: pack_7z(target, {"x": b"new"}),
    "packing": lambda target: packing(target, "x").__enter__(),
    "write_records": lambda target: write_records(target, [b"new"]),
    "write_documents": lambda target: write_documents(target, [b"new"]),
}


@pytest.mark.parametrize("name", EVIL[:-1])
@pytest.mark.parametrize("write", WRITING.values(), ids=WRITING)
def test_nothing_is_written_elsewhere(
    write: Callable[[Path], object], name: str, work: Path
) -> None:
    with pytest.raises(DataSourceError, match="is refused as the name of a file"):
        write(work / "prepared" / "public" / "train" / evil(name, work))


def test_raw_is_not_written_to(work: Path) -> None:
    with pytest.raises(DataSourceError, match=r"new\.csv"):
        write_csv(TABLE, work / "raw" / "new.csv")


@pytest.mark.parametrize("name", EVIL)
def test_names_stay_in_their_folder_even_where_there_are_no_bounds(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "raw" / "deep").mkdir(parents=True)
    (tmp_path / "x").write_text("a stranger's")
    name = evil(name, tmp_path)
    with pytest.raises(DataSourceError) as caught:
        place_all([name], tmp_path / "raw", tmp_path / "out")
    assert repr(name) in str(caught.value)
    assert not list((tmp_path / "out").iterdir())


def test_dots_in_names_are_no_harm(tmp_path: Path) -> None:
    raw, public = tmp_path / "raw", tmp_path / "public"
    raw.mkdir()
    (raw / "a..b").write_text("c")
    with bounded(raw, public, tmp_path / "private", tmp_path / "own"):
        place(raw / "a..b", public / "..a")
        place_all(["a..b"], raw, public)
        write_text("new", public / "b..")
    assert sorted(path.name for path in public.iterdir()) == ["..a", "a..b", "b.."]


def test_relative_folders_and_other_spellings_of_them_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "x").write_text("x")
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to("data")
    monkeypatch.chdir(tmp_path / "here")
    for raw in (Path("../data"), Path("../link"), Path("..", "here", "..", "data")):
        with bounded(raw, Path(), Path("private"), Path("own")):
            place(raw / "x", Path("a"))
            place(raw.resolve() / "x", Path("b").absolute())
            with pytest.raises(DataSourceError, match="leads out of its folder"):
                place(raw / "../data/x", Path("c"))


def test_unpacked_archives_belong_to_the_competition_for_a_while(work: Path) -> None:
    public = work / "prepared" / "public"
    pack(public / "x.zip", {"a.csv": "x\n1\n"})
    with unpacked(public / "x.zip", beside=public) as folder:
        write_csv(read_csv(folder / "a.csv"), folder / "b.csv")
        place(folder / "b.csv", public / "b.csv")
    with pytest.raises(DataSourceError):
        place(folder / "b.csv", public / "c.csv")
    for name in ("x.zip", "b.csv"):
        (public / name).unlink()


def test_an_id_that_leads_out_ends_a_preparation(tmp_path: Path) -> None:
    code = """
from mlebench.preparing.files import place_each

prepare_tables = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_tables(raw, public, private)
    names = (raw / "ids.txt").read_text().split()
    place_each((raw / name, public / name) for name in names)
"""
    add_competition(tmp_path / "competitions", "mine", code)
    (tmp_path / "secret.txt").write_text("a stranger's")
    competition = Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("mine")
    assert competition.task is not None
    competition.task.fixture(tmp_path / "raw")
    (tmp_path / "raw" / "ids.txt").write_text("ids.txt ../secret.txt")
    with pytest.raises(DataSourceError, match=r"'\.\./secret\.txt' is refused"):
        prepare(competition, tmp_path / "raw", skip_verification=True)
    assert not competition.prepared_dir.exists()
