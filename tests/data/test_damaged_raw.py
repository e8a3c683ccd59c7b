"""Raw data that are not as they were: the source is told to be wrong, and nothing is prepared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import DataSourceError
from mlebench.registry import Registry


def without_rows(path: Path) -> None:
    path.write_text(path.read_text().partition("\n")[0] + "\n")


def without_labels(path: Path) -> None:
    lines = path.read_text().splitlines()
    path.write_text("".join(line.rpartition(",")[2] + "\n" for line in lines))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def another_shape(path: Path) -> None:
    path.write_text("[]")


@pytest.mark.parametrize(
    ("competition_id", "name", "damage"),
    [
        ("aerial-cactus-identification", "train.csv", without_rows),
        ("aerial-cactus-identification", "train.csv", without_labels),
        ("aerial-cactus-identification", "train.csv", a_folder),
        ("leaf-classification", "train.csv.zip", empty),
        ("dogs-vs-cats-redux-kernels-edition", "train.zip", empty),
        ("osic-pulmonary-fibrosis-progression", "train.csv", without_rows),
        (
            "herbarium-2020-fgvc7",
            "nybg2020/train/metadata.json",
            lambda path: path.write_text("[]"),
        ),
    ],
)
def test_damage_is_the_sources_fault(
    competition_id: str, name: str, damage: Callable[[Path], object], tmp_path: Path
) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition(competition_id)
    assert competition.task is not None
    competition.task.fixture(tmp_path / "raw")
    damage(tmp_path / "raw" / name)
    with pytest.raises(DataSourceError):
        prepare(competition, tmp_path / "raw", skip_verification=True)
    assert not competition.public_dir.exists()
