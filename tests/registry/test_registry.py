"""Finding competitions and splits."""

from __future__ import annotations

import csv
import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError, TaskNotWrittenError, UnknownCompetitionError
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry, registry
from mlebench.registry.facts import Edition
from mlebench.registry.leaderboard import Leaderboard
from mlebench.registry.loader import load_module
from mlebench.registry.task import Task
from tests.helpers import ALL_IDS, BUILT_IN, MINI_IDS, add_competition, add_unwritten, shared

SPLIT_SIZES = {
    "low": 22,
    "medium": 38,
    "high": 15,
    "dev": 7,
    "mini": 6,
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
    assert set(ids) <= set(BUILT_IN.list_known_ids())
    assert set(ids) <= set(ALL_IDS) or name == "mini"


def test_splits_are_listed() -> None:
    assert BUILT_IN.list_splits() == sorted(SPLIT_SIZES)
    assert BUILT_IN.get_lite_competition_ids() == BUILT_IN.get_split("low")


@pytest.mark.parametrize("name", ["low", "medium", "high", "dev", "mini"])
def test_splits_agree_with_the_facts(name: str) -> None:
    known = BUILT_IN.list_known_ids()
    by_facts = {one for one in known if BUILT_IN.get_facts(one).complexity == name}
    assert by_facts == set(BUILT_IN.get_split(name))


def test_mini_stands_beside_the_originals_competitions() -> None:
    assert sorted([*ALL_IDS, *MINI_IDS]) == BUILT_IN.list_known_ids()
    assert all(name in BUILT_IN and name not in ALL_IDS for name in MINI_IDS)


def test_a_users_competition_of_the_name_of_a_mini_one_is_listed(tmp_path: Path) -> None:
    add_competition(tmp_path, "mini-digits")
    ids = Registry(competitions_dirs=[tmp_path]).list_competition_ids()
    assert set(ids) - set(ALL_IDS) == {"mini-digits"}


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


@pytest.mark.parametrize(("edition", "folder"), [("v1", "prepared"), ("v2", "prepared-v2")])
@pytest.mark.parametrize("competition_id", ALL_IDS)
def test_every_competition_loads_without_data(
    competition_id: str, edition: Edition, folder: str, tmp_path: Path
) -> None:
    competition = Registry(tmp_path, (), edition).get_competition(competition_id)
    data = tmp_path / competition_id
    assert competition.answers.is_relative_to(data / folder / "private")
    assert competition.gold_submission.is_relative_to(data / folder / "private")
    assert competition.sample_submission.is_relative_to(data / folder)
    assert (competition.public_dir, competition.private_dir) == (
        data / folder / "public",
        data / folder / "private",
    )
    assert competition.prepared_dir == data / folder
    assert (competition.data_dir, competition.raw_dir) == (data, data / "raw")
    assert competition.edition == edition
    assert competition.task is not None
    assert competition.task.is_written == BUILT_IN.is_written(competition_id)


@pytest.mark.parametrize("competition_id", ALL_IDS)
def test_graders_bear_the_short_names_that_programs_know(
    competition_id: str, shared_dir: Path
) -> None:
    with shared(shared_dir, "spec", "grader_names.csv").open() as file:
        names = {row["competition_id"]: row["grader_name"] for row in csv.DictReader(file)}
    competition = BUILT_IN.get_competition(competition_id)
    assert competition.grader.name == competition.facts.grader_name == names[competition_id]
    assert competition.facts.metric


def test_a_grader_without_a_short_name_bears_the_metrics(tmp_path: Path) -> None:
    add_competition(tmp_path, "mine")
    competition = Registry(competitions_dirs=[tmp_path]).get_competition("mine")
    assert competition.grader.name == competition.facts.metric == "root mean squared error"


def test_unwritten_competition_says_so_when_used(tmp_path: Path) -> None:
    add_unwritten(tmp_path, "planned")
    competition = Registry(tmp_path / "data", [tmp_path]).get_competition("planned")
    with pytest.raises(TaskNotWrittenError, match="not written"):
        competition.prepare_fn(raw=tmp_path, public=tmp_path, private=tmp_path)


def test_leaderboard_is_a_csv_by_the_time_it_is_looked_at() -> None:
    competition = BUILT_IN.get_competition("spaceship-titanic")
    assert not competition.has_full_leaderboard
    frame = pd.read_csv(competition.leaderboard)
    assert len(frame) == 2288
    assert frame["rebuilt"].all()
    assert competition.leaderboard.is_relative_to(Path(os.environ["XDG_CACHE_HOME"]))


def test_a_rebuilt_list_follows_the_figures(tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    thresholds = []
    for _ in range(2):
        competition = Registry(competitions_dirs=[tmp_path]).get_competition("mine")
        thresholds.append(Leaderboard.from_csv(competition.leaderboard).thresholds.gold)
        facts = folder / "competition.yaml"
        facts.write_text(facts.read_text().replace("gold: 0.5", "gold: 0.25"))
    assert thresholds == [0.5, 0.25]


def test_full_leaderboard_in_the_data_folder_is_preferred(tmp_path: Path) -> None:
    path = tmp_path / "spaceship-titanic" / "leaderboard.csv"
    path.parent.mkdir()
    path.write_text("score\n0.9\n0.8\n0.7\n")
    competition = Registry(tmp_path, ()).get_competition("spaceship-titanic")
    assert competition.has_full_leaderboard
    assert competition.leaderboard == path
    assert len(competition.load_leaderboard().scores) == 3


class TestPlaces:
    """Which folders a registry uses."""

    def test_data_folder_can_be_given(self, tmp_path: Path) -> None:
        assert registry.set_data_dir(tmp_path).get_data_dir() == tmp_path
        assert registry.get_data_dir() != tmp_path

    @pytest.mark.parametrize("kind", [str, Path])
    def test_data_folder_is_absolute_however_it_is_given(
        self, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for made in (Registry(kind("some/../data")), Registry().set_data_dir(kind("data"))):
            assert made.get_data_dir() == tmp_path / "data"
            competition = made.get_competition("spaceship-titanic")
            assert competition.public_dir.is_absolute()
        assert Registry(kind("~/data")).get_data_dir() == Path.home() / "data"
        monkeypatch.chdir("/")
        assert competition.public_dir.is_relative_to(tmp_path)

    def test_default_data_folder_has_its_name(self) -> None:
        from mlebench import registry as module

        assert registry.get_data_dir() == module.DEFAULT_DATA_DIR

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

    def test_v2_has_its_own_description_where_there_is_one(self, tmp_path: Path) -> None:
        folder = add_competition(tmp_path, "mine")
        registry = Registry(competitions_dirs=[tmp_path])
        plain = registry.get_competition("mine").description
        assert registry.set_edition("v2").get_competition("mine").description == plain
        (folder / "description_v2.md").write_text("# Corrected\n")
        assert registry.set_edition("v2").get_competition("mine").description == "# Corrected\n"
        assert registry.get_competition("mine").description == plain

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


@pytest.mark.parametrize("names", [("same", "same"), ("a-b", "a_b")])
def test_an_import_inside_a_function_finds_the_folders_own_module(
    names: tuple[str, str], tmp_path: Path
) -> None:
    code = "def score(truth, predicted):\n    from .helper import VALUE\n    return VALUE"
    scores, competitions = (0.25, 0.75), []
    for name, value in zip(names, scores, strict=True):
        parent = tmp_path / str(value)
        folder = add_competition(parent, "mine", code)
        (folder / "helper.py").write_text(f"VALUE = {value}\n")
        facts = folder / "competition.yaml"
        facts.write_text(facts.read_text().replace("id: mine", f"id: {name}"))
        folder.rename(parent / name)
        competition = Registry(parent / "data", [parent]).get_competition(name)
        prepare(competition, fixture=True)
        competitions.append(competition)
    graded = [grade_csv(one.sample_submission, one).score for one in competitions]
    assert graded == list(scores)


def test_scoring_may_ask_for_rows_and_for_all_answers(tmp_path: Path) -> None:
    code = (
        "from mlebench.submission import AsFarAsBothGo, Number, Submission\n"
        "SUBMISSION = Submission(key='id', columns=(Number('value'),), matching=AsFarAsBothGo())\n"
        "def score(truth, predicted, answers, rows):\n"
        "    return 100 * len(truth) + 10 * len(answers) + rows.sum()\n"
    )
    folder = add_competition(tmp_path, "mine", code)
    answers, submitted = (pd.DataFrame({"id": [*ids], "value": 1.0}) for ids in ("abcde", "ab"))
    assert Task(folder).grade(submitted, answers) == 100 * 2 + 10 * 5 + 1


@pytest.mark.parametrize("content", [b"\xff\xfe", b"id: [unclosed"])
def test_a_damaged_fact_file_is_named(content: bytes, tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    (folder / "competition.yaml").write_bytes(content)
    with pytest.raises(ConfigError, match=r"competition\.yaml"):
        Registry(tmp_path, [tmp_path]).get_competition("mine")


def test_a_declaration_of_another_kind_is_named(tmp_path: Path) -> None:
    add_competition(tmp_path, "mine", "SUBMISSION = 1")
    task = Registry(tmp_path, [tmp_path]).get_competition("mine").task
    assert task is not None
    with pytest.raises(ConfigError, match=r"SUBMISSION in .*task\.py"):
        _ = task.submission
