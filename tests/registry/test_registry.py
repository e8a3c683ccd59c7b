"""Finding competitions and splits."""

from __future__ import annotations

import itertools
import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pandas as pd
import pytest

from mlebench.errors import ConfigError, TaskNotWrittenError, UnknownCompetitionError
from mlebench.registry import Registry, registry
from mlebench.registry.loader import load_module
from tests.helpers import ALL_IDS, BUILT_IN, READY_IDS, add_competition

SPLIT_SIZES = {
    "low": 22,
    "medium": 38,
    "high": 15,
    "dev": 7,
    "split75": 75,
    "systemcard": 30,
    "spaceship-titanic": 1,
}


def test_all_competitions_are_known() -> None:
    assert len(ALL_IDS) == 82
    assert sorted(ALL_IDS) == ALL_IDS


@pytest.mark.parametrize(("name", "size"), SPLIT_SIZES.items())
def test_splits_have_their_sizes_and_hold_known_competitions(name: str, size: int) -> None:
    ids = BUILT_IN.get_split(name)
    assert len(ids) == len(set(ids)) == size
    assert set(ids) <= set(ALL_IDS)


def test_splits_are_listed() -> None:
    assert BUILT_IN.list_splits() == sorted(SPLIT_SIZES)
    assert BUILT_IN.get_lite_competition_ids() == BUILT_IN.get_split("low")


@pytest.mark.parametrize("name", ["low", "medium", "high", "dev"])
def test_splits_agree_with_the_facts(name: str) -> None:
    by_facts = {one for one in ALL_IDS if BUILT_IN.get_facts(one).complexity == name}
    assert by_facts == set(BUILT_IN.get_split(name))


def test_three_complexities_make_the_split_of_75() -> None:
    parts = [*map(BUILT_IN.get_split, ("low", "medium", "high"))]
    assert sorted(itertools.chain(*parts)) == sorted(BUILT_IN.get_split("split75"))


def test_split_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("AI4Code\n\n  spaceship-titanic  \n")
    assert BUILT_IN.get_split(str(path)) == ["AI4Code", "spaceship-titanic"]


def test_unknown_split_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="systemcard"):
        BUILT_IN.get_split("lowest")


def test_unknown_competition_suggests_a_similar_one() -> None:
    with pytest.raises(UnknownCompetitionError, match="Did you mean 'spaceship-titanic'"):
        BUILT_IN.get_competition("spaceship-titanik")


@pytest.mark.parametrize("competition_id", ALL_IDS)
def test_every_competition_loads_without_data(competition_id: str, tmp_path: Path) -> None:
    competition = Registry(tmp_path, ()).get_competition(competition_id)
    assert competition.answers.is_relative_to(tmp_path / competition_id / "prepared" / "private")
    assert competition.public_dir == tmp_path / competition_id / "prepared" / "public"
    assert competition.raw_dir == tmp_path / competition_id / "raw"
    assert competition.grader.name == competition.facts.metric
    assert competition.task is not None
    assert competition.task.is_written == BUILT_IN.is_written(competition_id)


def test_unwritten_competition_says_so_when_used(tmp_path: Path) -> None:
    unwritten = next(name for name in ALL_IDS if name not in READY_IDS)
    competition = Registry(tmp_path, ()).get_competition(unwritten)
    with pytest.raises(TaskNotWrittenError, match="not written"):
        competition.prepare_fn(raw=tmp_path, public=tmp_path, private=tmp_path)


def test_leaderboard_is_a_csv_by_the_time_it_is_looked_at() -> None:
    competition = BUILT_IN.get_competition("spaceship-titanic")
    assert not competition.has_full_leaderboard
    frame = pd.read_csv(competition.leaderboard)
    assert len(frame) == 2288
    assert frame["rebuilt"].all()
    assert competition.leaderboard.is_relative_to(Path(os.environ["XDG_CACHE_HOME"]))


def test_full_leaderboard_in_the_data_folder_is_preferred(tmp_path: Path) -> None:
    path = tmp_path / "spaceship-titanic" / "leaderboard.csv"
    path.parent.mkdir()
    path.write_text("score\n0.9\n0.8\n0.7\n")
    competition = Registry(tmp_path, ()).get_competition("spaceship-titanic")
    assert competition.has_full_leaderboard
    assert competition.leaderboard == path
    assert len(competition.load_leaderboard().scores) == 3


def test_competition_does_not_change_but_can_be_copied() -> None:
    competition = BUILT_IN.get_competition("spaceship-titanic")
    with pytest.raises(FrozenInstanceError):
        competition.id = "other"  # type: ignore[misc]
    copy = replace(competition, name="other")
    assert (copy.name, copy.id) == ("other", competition.id)
    assert not copy.has_full_leaderboard


def test_competition_can_be_sent_to_another_process() -> None:
    competition = BUILT_IN.get_competition("spaceship-titanic")
    assert competition.task is not None
    assert competition.task.submission  # the module is loaded
    copy = pickle.loads(pickle.dumps(competition))
    assert (copy.id, copy.facts, copy.task) == (competition.id, competition.facts, competition.task)


class TestPlaces:
    """Which folders a registry uses."""

    def test_data_folder_can_be_given(self, tmp_path: Path) -> None:
        assert registry.set_data_dir(tmp_path).get_data_dir() == tmp_path
        assert registry.get_data_dir() != tmp_path

    @pytest.mark.parametrize("variable", ["MLEBENCH_DATA_DIR", "MLE_BENCH_DATA_DIR"])
    def test_data_folder_can_come_from_the_environment(
        self, variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(variable, str(tmp_path))
        assert registry.get_data_dir() == tmp_path

    def test_data_lie_in_the_users_cache_by_default(self) -> None:
        cache = Path(os.environ["XDG_CACHE_HOME"])
        assert registry.get_data_dir() == (cache / "mle-bench" / "data").resolve()

    def test_users_competitions_come_from_the_environment(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        add_competition(tmp_path / "one", "mine")
        add_competition(tmp_path / "two", "yours")
        monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", f"{tmp_path}/one{os.pathsep}{tmp_path}/two")
        assert {"mine", "yours"} < set(Registry().list_competition_ids())

    def test_users_competition_hides_a_built_in_one(self, tmp_path: Path) -> None:
        folder = add_competition(tmp_path, "spaceship-titanic")
        competition = Registry(competitions_dirs=[tmp_path]).get_competition("spaceship-titanic")
        assert competition.folder == folder

    def test_missing_folder_of_competitions_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="nowhere"):
            Registry(competitions_dirs=[tmp_path / "nowhere"]).list_competition_ids()


class TestEditions:
    """v1 for the original's numbers, v2 for corrected tasks."""

    def test_edition_is_handed_on(self) -> None:
        later = BUILT_IN.set_edition("v2")
        assert later.get_competition("spaceship-titanic").edition == "v2"
        assert BUILT_IN.get_competition("spaceship-titanic").edition == "v1"
        assert later.set_data_dir("x").edition == "v2"

    def test_unknown_edition_is_refused(self) -> None:
        with pytest.raises(ConfigError, match="choose v1 or v2"):
            Registry(edition="v3")  # type: ignore[arg-type]

    def test_v2_uses_what_is_defined_for_it(self, tmp_path: Path) -> None:
        code = "def score_v2(truth, predicted):\n    return 42.0\n"
        add_competition(tmp_path, "mine", code)
        frame = pd.DataFrame({"id": [1], "value": [2.0]})
        scores = [
            Registry(competitions_dirs=[tmp_path], edition=edition)
            .get_competition("mine")
            .grader(frame, frame)
            for edition in ("v1", "v2")
        ]
        assert scores == [0.0, 42.0]


def test_threads_wait_until_a_task_is_loaded(tmp_path: Path) -> None:
    code = "import time\ntime.sleep(0.2)\nlast_line = True"
    folder = add_competition(tmp_path, "slow-to-load", code)
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(lambda _: load_module(folder, "task").last_line, range(4)))
