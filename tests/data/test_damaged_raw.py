"""Raw data that are not as they were: the source is told to be wrong, and nothing is prepared."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data.manifest import find_gap
from mlebench.data.prepare import prepare
from mlebench.errors import DataSourceError, TaskError
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.grading.original import add_original
from tests.helpers import READY_IDS, add_competition
from tests.rights import as_ordinary_user

LONGEST = 1000
ONE_TABLE = "learning-agency-lab-automated-essay-scoring-2"
NO_TABLE = "dogs-vs-cats-redux-kernels-edition"
# Where the held-out part does not come from a table whose name or place would tell.
MAIN = {
    "alaska2-image-steganalysis": "Cover",
    "detecting-insults-in-social-commentary": "test_with_solutions.csv",
    "freesound-audio-tagging-2019": "FSDKaggle2019.meta.zip",
    "jigsaw-unintended-bias-in-toxicity-classification": "test_private_expanded.csv",
    "plant-seedlings-classification": "train",
    "smartphone-decimeter-2022": "train",
    "vesuvius-challenge-ink-detection": "train/3/inklabels_rle.csv",
}
TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".bson", ".npy", ".txt")
ARCHIVES = (".zip", ".7z", ".gz", ".tar")

Damage = Callable[[Path], object]


def missing(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def empty(path: Path) -> None:
    replace(path, b"")


def cut_off(path: Path) -> None:
    content = path.read_bytes() if path.is_file() else b"cut"
    replace(path, content[: len(content) // 2])


def noise(path: Path) -> None:
    replace(path, random.Random(0).randbytes(2000))


def replace(path: Path, content: bytes) -> None:
    """Write a file anew, since all others have the same bytes as the raw data they come from."""
    missing(path)
    path.write_bytes(content)


def without_rows(path: Path) -> None:
    path.write_text(path.read_text().partition("\n")[0] + "\n")


def without_labels(path: Path) -> None:
    lines = path.read_text().splitlines()
    path.write_text("".join(line.rpartition(",")[2] + "\n" for line in lines))


def a_folder(path: Path) -> None:
    missing(path)
    path.mkdir()


def an_empty_list(path: Path) -> None:
    path.write_text("[]")


class Bench:
    """A competition, its raw data as they should be, and a place for worse ones."""

    def __init__(self, competition_id: str, work: Path) -> None:
        self.competition = Registry(work / "data", ()).get_competition(competition_id)
        self.sound = work / "sound"
        self.raw = work / "raw"
        make_up(competition_id, self.sound)

    def damaged(self, name: Path, damage: Damage) -> Path:
        """The raw data with something done to one of the files."""
        shutil.rmtree(self.raw, ignore_errors=True)
        shutil.copytree(self.sound, self.raw, copy_function=os.link)
        damage(self.raw / name)
        return self.raw

    @property
    def names(self) -> list[Path]:
        """All files, those at the top first and then those that are about training."""
        paths = (path.relative_to(self.sound) for path in self.sound.rglob("*") if path.is_file())
        return sorted(paths, key=lambda path: (len(path.parts), "rain" not in path.name, path))

    @property
    def main(self) -> Path:
        """The file from which the held-out part is drawn, or the folder."""
        if self.competition.id in MAIN:
            return Path(MAIN[self.competition.id])
        kinds = sorted(self.names, key=lambda path: (len(path.parts), not is_table(path)))
        return next(path for path in kinds if path.name.endswith((*TABLES, *ARCHIVES)))

    @property
    def medium(self) -> Path:
        """A file that nobody looks into; the main one where there is none."""
        others = [path for path in self.names if not path.name.endswith((*TABLES, *ARCHIVES))]
        return others[0] if others else self.main


def is_table(path: Path) -> bool:
    return any(suffix in TABLES for suffix in path.suffixes)


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Raw data of two competitions that are not the one at hand."""
    folder = tmp_path_factory.mktemp("others")
    return {name: make_up(name, folder / name) for name in (ONE_TABLE, NO_TABLE)}


def make_up(competition_id: str, raw: Path) -> Path:
    task = Registry(competitions_dirs=()).get_competition(competition_id).task
    assert task is not None
    task.fixture(raw)
    return raw


def outcome(competition: Competition, raw: Path) -> str | None:
    """The message with which preparing from a folder ends; none where all went well."""
    try:
        prepare(competition, raw, skip_verification=True)
    except DataSourceError as error:
        message = str(error)
        assert competition.id in message
        assert str(raw) in message
        assert "\n" not in message
        assert len(message.replace(str(raw), "raw")) <= LONGEST
        assert not competition.prepared_dir.exists()
        assert {path.name for path in competition.data_dir.iterdir()} <= {".prepare.lock"}
        return message
    assert find_gap(competition) is None
    shutil.rmtree(competition.data_dir)
    return None


def refused(competition: Competition, raw: Path) -> str:
    message = outcome(competition, raw)
    assert message is not None
    return message


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_what_is_not_there_is_named_and_looked_for(competition_id: str, tmp_path: Path) -> None:
    bench = Bench(competition_id, tmp_path)
    assert bench.main.stem in refused(bench.competition, bench.damaged(bench.main, missing))
    shutil.rmtree(bench.raw)
    message = refused(bench.competition, bench.sound.parent)
    assert f"should hold {min(bench.sound.iterdir()).name}" in message
    assert f"They seem to be in {bench.sound}" in message


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_another_competitions_data_are_refused(
    competition_id: str, others: dict[str, Path], tmp_path: Path
) -> None:
    competition = Registry(tmp_path, ()).get_competition(competition_id)
    refused(competition, others[NO_TABLE if competition_id == ONE_TABLE else ONE_TABLE])


@pytest.mark.slow
@pytest.mark.parametrize("competition_id", READY_IDS)
def test_damage_is_told_unless_it_does_not_matter(competition_id: str, tmp_path: Path) -> None:
    bench = Bench(competition_id, tmp_path)
    assert outcome(bench.competition, bench.sound) is None
    for damage in (empty, noise):
        assert refused(bench.competition, bench.damaged(bench.main, damage))
    # Half a table may be a table, and nobody looks into pictures.
    outcome(bench.competition, bench.damaged(bench.main, cut_off))
    outcome(bench.competition, bench.damaged(bench.medium, missing))


@pytest.mark.parametrize(
    ("competition_id", "name", "damage"),
    [
        ("aerial-cactus-identification", "train.csv", without_rows),
        ("aerial-cactus-identification", "train.csv", without_labels),
        ("aerial-cactus-identification", "train.csv", a_folder),
        ("leaf-classification", "train.csv.zip", empty),
        ("leaf-classification", "train.csv.zip", cut_off),
        ("dogs-vs-cats-redux-kernels-edition", "train.zip", empty),
        ("osic-pulmonary-fibrosis-progression", "train.csv", without_rows),
        ("herbarium-2020-fgvc7", "nybg2020/train/metadata.json", an_empty_list),
        ("stanford-covid-vaccine", "train.json", empty),
        ("freesound-audio-tagging-2019", "sample_submission.csv", missing),
        ("freesound-audio-tagging-2019", "sample_submission.csv", noise),
    ],
)
def test_damage_is_the_sources_fault(
    competition_id: str, name: str, damage: Damage, tmp_path: Path
) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition(competition_id)
    raw = make_up(competition_id, tmp_path / "raw")
    damage(raw / name)
    assert Path(name).name in refused(competition, raw)


@pytest.mark.parametrize("beside", ["lost+found", "circle"])
def test_what_cannot_be_looked_into_hides_nothing(beside: str, tmp_path: Path) -> None:
    raw = make_up("spaceship-titanic", tmp_path / "raw")
    missing(raw / "train.csv")
    if beside == "circle":
        (raw / beside).symlink_to(beside)
    else:
        (raw / beside).mkdir(0o000)
    words = ["prepare", "spaceship-titanic", "--from", str(raw), "--data-dir", str(tmp_path)]
    command = as_ordinary_user(sys.executable, "-m", "mlebench", *words)
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert "should hold train.csv" in told
    assert "error: The raw data of spaceship-titanic in " in told


def test_a_column_that_is_not_there_is_named_with_the_table(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition("aerial-cactus-identification")
    raw = make_up(competition.id, tmp_path / "raw")
    table = raw / "train.csv"
    table.write_text(table.read_text().replace("has_cactus", "cactus", 1))
    message = refused(competition, raw)
    assert "'has_cactus'" in message
    assert f"{table} (columns id cactus)" in message


def test_a_column_that_preparing_needs_is_told_in_our_words(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition("dog-breed-identification")
    raw = make_up(competition.id, tmp_path / "raw")
    table = raw / "labels.csv"
    table.write_text(table.read_text().replace("breed", "race", 1))
    message = refused(competition, raw)
    assert f"{table} lacks the column 'breed'; it has id, race." in message
    assert "What was read last" not in message


def test_a_function_of_a_users_that_misses_a_column_is_told_with_its_line(tmp_path: Path) -> None:
    add_competition(tmp_path / "own", "mine")
    competition = Registry(tmp_path / "data", [tmp_path / "own"]).get_competition("mine")
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "train.csv").write_text("id,feature,price\n1,0.1,1.2\n2,0.1,1.2\n3,1.1,1.2\n")
    with pytest.raises(TaskError) as caught:
        prepare(competition, raw)
    message = str(caught.value)
    assert "lacks the column 'value'; it has " in message
    assert "(task.py, line " in message
    assert "in axis" not in message
    assert "in index" not in message


def test_a_folder_too_deep_is_told(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition("petfinder-pawpularity-score")
    raw = make_up(competition.id, tmp_path / "raw")
    assert f"They seem to be in {raw}:" in refused(competition, raw / "train")


def test_what_is_wrong_in_a_zip_is_told_of_the_zip(tmp_path: Path) -> None:
    competition = Registry(tmp_path / "data", ()).get_competition(ONE_TABLE)
    raw = make_up(ONE_TABLE, tmp_path / "raw")
    archive = tmp_path / "deep.zip"
    pack(archive, {f"inside/{path.name}": path for path in raw.iterdir()})
    message = refused(competition, archive)
    assert f"They seem to be in {archive}/inside" in message
    assert ".staging" not in message


class TestOwnCompetitions:
    """Those of users get to know where a file is, too, be it their function's fault or not."""

    @pytest.fixture(params=["ours", "the original's"])
    def competition(self, request: pytest.FixtureRequest, tmp_path: Path) -> Competition:
        if request.param == "ours":
            add_competition(tmp_path / "own", "mine")
        else:
            code = "def prepare(raw, public, private):\n    open(raw / 'train.csv')\n"
            add_original(tmp_path / "own", tmp_path / "elsewhere", "mine", prepare=code.encode())
        return Registry(tmp_path / "data", [tmp_path / "own"]).get_competition("mine")

    @pytest.fixture
    def raw(self, tmp_path: Path) -> Path:
        folder = tmp_path / "outer" / "inner"
        folder.mkdir(parents=True)
        (folder / "train.csv").write_text("id,feature,value\n1,0.1,1.2\n")
        return folder

    @staticmethod
    def told(competition: Competition, source: Path) -> str:
        with pytest.raises((DataSourceError, TaskError)) as caught:
            prepare(competition, source)
        return str(caught.value)

    def test_a_folder_too_high_or_too_deep(self, competition: Competition, raw: Path) -> None:
        (raw / "deeper").mkdir()
        for given in (raw.parent, raw / "deeper"):
            message = self.told(competition, given)
            assert str(given / "train.csv") in message
            assert f"There is one in {raw}: pass that folder (mlebench prepare mine" in message
            assert f"--from {raw}" in message

    def test_a_nested_zip_is_named_itself(
        self, competition: Competition, raw: Path, tmp_path: Path
    ) -> None:
        archive = tmp_path / "deep.zip"
        pack(archive, {"inside/train.csv": raw / "train.csv"})
        message = self.told(competition, archive)
        assert f"{archive}/train.csv" in message
        assert f"There is one in {archive}/inside: unpack" in message
        assert ".staging" not in message

    def test_what_is_nowhere_is_not_found(self, competition: Competition, tmp_path: Path) -> None:
        (tmp_path / "empty" / "one").mkdir(parents=True)
        assert "There is one" not in self.told(competition, tmp_path / "empty")


def test_what_is_lacking_is_said_once_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "some" / "folder").mkdir(parents=True)
    competition = Registry(tmp_path / "data", ()).get_competition("spaceship-titanic")
    message = refused(competition, tmp_path / "some" / "folder")
    assert "should hold train.csv, but does not." in message
    assert "Pass what Kaggle offers for spaceship-titanic, packed or not, with --from." in message
