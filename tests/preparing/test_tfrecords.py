"""Shards: the names in them, and what is left of them in their new place."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.errors import DataSourceError
from mlebench.preparing.tfrecords import (
    make_example,
    names_in,
    place_shards,
    read_examples,
    write_records,
)


@pytest.fixture
def shards(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"train{number:02d}-2.tfrec" for number in (3, 7)]
    for path in paths:
        examples = [
            {"image": b"pixels", "target": number, "image_name": f"{path.stem}_{number}".encode()}
            for number in range(2)
        ]
        write_records(path, map(make_example, examples))
    return paths


def test_names_of_all_shards_are_found(shards: list[Path]) -> None:
    names = {"train03-2_0", "train03-2_1", "train07-2_0", "train07-2_1"}
    assert names_in(shards) == names


def test_a_name_is_a_text(shards: list[Path]) -> None:
    with pytest.raises(DataSourceError, match="target is no text"):
        names_in(shards, feature="target")


def test_shards_are_renumbered(shards: list[Path], tmp_path: Path) -> None:
    place_shards(shards, tmp_path / "public", "test")
    placed = [tmp_path / "public" / f"test{number:02d}-2.tfrec" for number in (0, 1)]
    assert sorted((tmp_path / "public").iterdir()) == placed
    assert [path.read_bytes() for path in placed] == [path.read_bytes() for path in shards]


def test_shards_keep_the_chosen_features_only(shards: list[Path], tmp_path: Path) -> None:
    place_shards(shards, tmp_path, "test", only=("image", "image_name"))
    assert [*read_examples(tmp_path / "test01-2.tfrec")] == [
        {"image": [b"pixels"], "image_name": [f"train07-2_{number}".encode()]}
        for number in range(2)
    ]
