"""What the functions on competition data under the original's import line mean."""

from __future__ import annotations

import hashlib
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mlebench.data import (
    create_prepared_dir,
    download_and_prepare_dataset,
    download_dataset,
    ensure_leaderboard_exists,
    generate_checksums,
    get_checksum,
    get_last_modified,
    get_leaderboard,
    is_dataset_prepared,
    is_valid_prepare_fn,
)
from mlebench.data.prepare import prepare
from mlebench.errors import DataSourceError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition
from tests.kaggle_server import Kaggle

from .conftest import ID


@pytest.fixture
def empty(tmp_path: Path) -> Competition:
    """A competition without any data."""
    return Registry(tmp_path / "data").get_competition(ID)


@pytest.fixture
def raw_files(competition: Competition, tmp_path: Path) -> dict[str, bytes]:
    """What Kaggle would hand out."""
    assert competition.task
    competition.task.fixture(tmp_path / "made up")
    return {path.name: path.read_bytes() for path in (tmp_path / "made up").iterdir()}


# -- prepared or not ------------------------------------------------------------------------


def test_prepared_data(competition: Competition) -> None:
    assert is_dataset_prepared(competition) is True
    assert is_dataset_prepared(competition=competition, grading_only=True) is True


def test_empty_folders_are_not_prepared(empty: Competition) -> None:
    create_prepared_dir(empty)
    assert empty.public_dir.is_dir()
    assert empty.private_dir.is_dir()
    create_prepared_dir(competition=empty)
    assert is_dataset_prepared(empty) is False
    assert is_dataset_prepared(empty, True) is False


def test_preparing_prepared_data_does_nothing(
    competition: Competition, empty: Competition, tmp_path: Path
) -> None:
    assert competition.task
    competition.task.fixture(tmp_path / "raw")
    prepare(empty, tmp_path / "raw", skip_verification=True)
    stamp = empty.answers.stat().st_mtime_ns
    download_and_prepare_dataset(empty)
    download_and_prepare_dataset(
        competition=empty,
        keep_raw=False,
        overwrite_checksums=False,
        overwrite_leaderboard=False,
        skip_verification=True,
    )
    assert empty.answers.stat().st_mtime_ns == stamp


def test_what_a_prepare_function_takes(competition: Competition) -> None:
    def good(raw: Path, public: Path, private: Path) -> None: ...

    def other_order(public: Path, raw: Path, private: Path) -> None: ...

    def too_many(raw: Path, public: Path, private: Path, seed: int = 0) -> None: ...

    assert is_valid_prepare_fn(good) is True
    assert is_valid_prepare_fn(preparer_fn=competition.prepare_fn) is True
    assert is_valid_prepare_fn(other_order) is False
    assert is_valid_prepare_fn(too_many) is False
    assert is_valid_prepare_fn(lambda: None) is False
    assert is_valid_prepare_fn(dict.fromkeys) is False
    assert is_valid_prepare_fn("prepare") is False  # type: ignore[arg-type]


# -- downloads ------------------------------------------------------------------------------


def test_download_gives_the_path_of_the_zip(kaggle: Kaggle, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    path = download_dataset(competition_id=ID, download_dir=folder, quiet=True, force=False)
    assert path == folder / f"{ID}.zip"
    assert [entry.name for entry in folder.iterdir()] == [path.name]


def test_a_zip_that_is_there_is_taken_without_a_login(
    kaggle: Kaggle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KAGGLE_KEY")
    mine = tmp_path / "anything.zip"
    mine.write_bytes(b"mine")
    assert download_dataset(ID, str(tmp_path)) == mine
    assert not kaggle.paths
    mine.unlink()
    with pytest.raises(PermissionError, match="Kaggle authentication failed!"):
        download_dataset(ID, tmp_path)


def test_force_downloads_again(kaggle: Kaggle, tmp_path: Path) -> None:
    mine = tmp_path / f"{ID}.zip"
    mine.write_bytes(b"mine")
    assert download_dataset(ID, tmp_path, True, True) == mine
    assert mine.read_bytes() != b"mine"


def test_several_zips_are_refused(kaggle: Kaggle, tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(DataSourceError, match="found 2"):
        download_dataset(ID, tmp_path)


def test_downloading_and_preparing_in_one_go(
    kaggle: Kaggle, empty: Competition, raw_files: dict[str, bytes]
) -> None:
    kaggle.competitions = {ID: raw_files}
    download_and_prepare_dataset(empty, keep_raw=False, skip_verification=True)
    assert is_dataset_prepared(empty)
    assert (empty.data_dir / f"{ID}.zip").is_file()
    asked = len(kaggle.paths)
    download_and_prepare_dataset(empty, skip_verification=True)
    assert len(kaggle.paths) == asked


def test_raw_data_that_are_there_are_not_downloaded(
    kaggle: Kaggle, empty: Competition, raw_files: dict[str, bytes]
) -> None:
    empty.raw_dir.mkdir(parents=True)
    for name, content in raw_files.items():
        (empty.raw_dir / name).write_bytes(content)
    download_and_prepare_dataset(empty, skip_verification=True)
    assert is_dataset_prepared(empty)
    assert not kaggle.paths


def test_real_data_replace_made_up_ones(
    kaggle: Kaggle, empty: Competition, raw_files: dict[str, bytes]
) -> None:
    prepare(empty, fixture=True)
    kaggle.competitions = {ID: raw_files}
    download_and_prepare_dataset(empty, skip_verification=True)
    assert (empty.data_dir / f"{ID}.zip").is_file()


# -- leaderboards ---------------------------------------------------------------------------

ORIGINAL_BOARD = """\
scoreNullable,teamId,hasTeamName,submissionDate,score,hasScore
0.9,1,True,2024-01-01,0.9,True
0.8,2,True,2024-01-02,0.8,True
"""


def with_leaderboard(folder: Path, text: str) -> Competition:
    path = folder / ID / "leaderboard.csv"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return Registry(folder).get_competition(ID)


def test_a_full_leaderboard_has_the_columns_of_its_file(tmp_path: Path) -> None:
    competition = with_leaderboard(tmp_path, ORIGINAL_BOARD)
    board = get_leaderboard(competition=competition)
    pd.testing.assert_frame_equal(board, pd.read_csv(competition.leaderboard))
    assert board.attrs["rebuilt"] is False


def test_a_list_from_kaggle_has_its_scores_only(kaggle: Kaggle, tmp_path: Path) -> None:
    path = ensure_leaderboard_exists(Registry(tmp_path).get_competition(ID), force=True)
    board = get_leaderboard(Registry(tmp_path).get_competition(ID))
    assert path == tmp_path / ID / "leaderboard.csv"
    assert board.to_csv(index=False) == "score\n0.9\n0.8\n0.5\n"


@pytest.mark.parametrize("column", ["score", "Score"])
def test_scores_are_always_found_under_one_name(column: str, tmp_path: Path) -> None:
    competition = with_leaderboard(tmp_path, f"team,{column}\na,3\nb,\nc,1\n")
    board = get_leaderboard(competition)
    assert board.columns.tolist() == ["team", "score"]
    assert board["score"].tolist() == [3, 1]
    assert competition.grader.is_lower_better(board) is False


def test_a_rebuilt_leaderboard_says_so_in_its_attributes_only(competition: Competition) -> None:
    board = get_leaderboard(competition)
    assert board.columns.tolist() == ["score"]
    assert board.attrs["rebuilt"] is True
    assert len(board) == 2288
    assert board["score"].is_monotonic_decreasing
    assert ensure_leaderboard_exists(competition) == competition.leaderboard


def test_a_competition_without_a_leaderboard(tmp_path: Path) -> None:
    facts = add_competition(tmp_path / "competitions", "mine") / "competition.yaml"
    facts.write_text(facts.read_text().partition("leaderboard:\n")[0])
    mine = Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("mine")
    with pytest.raises(FileNotFoundError, match="mine has no leaderboard"):
        ensure_leaderboard_exists(mine)


# -- checksums and dates --------------------------------------------------------------------


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    folder = tmp_path / "tables"
    (folder / "sub.csv").mkdir(parents=True)
    for name in ("a.csv", "b.json", "c.jsonl", "d.parquet", "e.bson", "f.txt", "sub.csv/g.csv"):
        (folder / name).write_text(name)
    return folder


def digest(name: str) -> str:
    return hashlib.md5(name.encode()).hexdigest()


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, ["a.csv", "b.json", "c.jsonl", "d.parquet", "e.bson"]),
        ({"exts": ["csv", "txt"]}, ["a.csv", "f.txt"]),
        ({"exts": [".csv"]}, ["a.csv"]),
        ({"exts": []}, []),
        ({"exclude": ["a.csv", Path("e.bson")]}, ["b.json", "c.jsonl", "d.parquet"]),
        ({"exts": None, "exclude": []}, ["a.csv", "b.json", "c.jsonl", "d.parquet", "e.bson"]),
    ],
)
def test_checksums(options: dict[str, Any], names: list[str], tables: Path) -> None:
    assert generate_checksums(tables, **options) == {name: digest(name) for name in names}
    by_position = generate_checksums(str(tables), options.get("exts"), options.get("exclude"))
    assert list(by_position) == names


def test_files_are_left_out_by_their_paths(tables: Path) -> None:
    sums = generate_checksums(tables, exts=["csv", "json"], exclude=[tables / "a.csv"])
    assert sums == {"b.json": get_checksum(tables / "b.json")}


def test_checksum_of_a_file(tables: Path) -> None:
    assert get_checksum(fpath=str(tables / "a.csv")) == digest("a.csv")


def test_last_modified(tables: Path) -> None:
    when = datetime(2026, 1, 2, 3, 4, 5)
    os.utime(tables / "a.csv", (when.timestamp(), when.timestamp()))
    assert get_last_modified(fpath=tables / "a.csv") == when
