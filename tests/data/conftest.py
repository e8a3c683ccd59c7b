"""A competition of the user's, raw and prepared data, and an imitation of Kaggle."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.data.kaggle import API_VARIABLE
from mlebench.data.manifest import data_source, find_gap
from mlebench.data.patience import Patience
from mlebench.data.prepare import prepare
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition
from tests.kaggle_server import TOKEN, Kaggle, serve_kaggle

# Says that it is in the middle of its work and waits there for leave to go on, if it is told to.
PATIENT_PREPARE = """
import os, time

prepare_at_once = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_at_once(raw, public, private)
    if gate := os.environ.get("GATE"):
        Path(gate, f"arrived-{os.getpid()}").touch()
        while not Path(gate, "open").exists():
            time.sleep(0.01)
"""


WRITE_PARQUET = """
def prepare(raw: Path, public: Path, private: Path) -> None:
    import os

    table = read_csv(raw / "train.csv")
    if os.environ.get("CHANGE"):
        table.loc[0, "feature"] += 1
    if compression := os.environ.get("COMPRESSION", "snappy"):
        table.to_parquet(public / "meta.parquet", compression=compression)
    write_csv(table[["id", "value"]], private / "test.csv")
    write_csv(table[["id"]].assign(value=0.0), public / "sample_submission.csv")
"""


@pytest.fixture
def mine(tmp_path: Path) -> Competition:
    """A competition of the user's without any data."""
    add_competition(tmp_path / "competitions", "mine", PATIENT_PREPARE)
    return Registry(tmp_path / "data", [tmp_path / "competitions"]).get_competition("mine")


@pytest.fixture
def raw(mine: Competition, tmp_path: Path) -> Path:
    """Raw data in a folder of the user's."""
    assert mine.task is not None
    mine.task.fixture(tmp_path / "users raw")
    return tmp_path / "users raw"


@pytest.fixture
def tabular(tmp_path: Path) -> Competition:
    """A competition with a table that is compared by content, prepared and published."""
    folder = add_competition(tmp_path / "comps", "own", WRITE_PARQUET)
    with (folder / "competition.yaml").open("a") as facts:
        facts.write("\ncompare_by_content: [public/meta.parquet]\n")
    competition = Registry(tmp_path / "data", [tmp_path / "comps"]).get_competition("own")
    assert competition.task
    competition.task.fixture(competition.raw_dir)
    prepare(competition, overwrite_checksums=True)
    return competition


def zipped(raw: Path, path: Path) -> Path:
    """The raw data as a zip."""
    pack(path, {file.name: file for file in raw.iterdir()})
    return path


def assert_prepared(competition: Competition, source: str) -> None:
    """The data are complete, come from this source, and nothing else is left."""
    assert find_gap(competition) is None
    assert data_source(competition) == source
    for folder in (competition.data_dir, competition.prepared_dir):
        assert not list(folder.glob(".*"))


@pytest.fixture
def kaggle(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kaggle]:
    """A server on this machine that speaks like Kaggle, and a login that it knows."""
    pytest.importorskip("httpx")
    with serve_kaggle() as server:
        monkeypatch.setenv(API_VARIABLE, server.api)
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
        yield server


@pytest.fixture
def waits() -> list[float]:
    """How long was waited for servers; nobody really waits."""
    return []


@pytest.fixture
def patience(waits: list[float]) -> Patience:
    """Four tries without a pause, and a server must not be silent for long."""
    return Patience(tries=4, read_seconds=0.5, wait=waits.append)
