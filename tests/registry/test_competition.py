"""A competition as an object: what programs do with it, and what it must not do by itself."""

from __future__ import annotations

import builtins
import copy
import io
import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import pandas as pd
import pytest

from mlebench.data import get_leaderboard
from mlebench.errors import ConfigError
from mlebench.grade import grade_csv
from mlebench.grade_helpers import Grader
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.from_dict import ATTRIBUTES
from tests.conftest import Prepared
from tests.helpers import ALL_IDS, BUILT_IN

ID = "spaceship-titanic"


# Path keeps some of the functions of os to itself, so its own methods are named as well.
DISK_FUNCTIONS: dict[object, str] = {
    builtins: "open",
    io: "open",
    os: "access listdir lstat mkdir open readlink remove rename replace scandir stat unlink",
    os.path: "exists isdir isfile islink lexists realpath",
    Path: "exists is_dir is_file is_symlink iterdir lstat mkdir open resolve stat touch unlink",
}


@contextmanager
def no_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail whoever looks at or writes to the disk."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"touched the disk: {args}")

    with monkeypatch.context() as patch:
        for owner, names in DISK_FUNCTIONS.items():
            for name in names.split():
                patch.setattr(owner, name, refuse)
        yield


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        *((owner, "open") for owner in (builtins, io, Path)),
        *((os.path, name) for name in ("exists", "getsize", "isfile", "ismount")),
        *((os, name) for name in ("stat", "listdir", "makedirs", "walk")),
        *((Path, name) for name in ("is_file", "is_dir", "is_symlink", "exists", "stat")),
        *((Path, name) for name in ("read_text", "read_bytes", "touch", "mkdir", "resolve")),
        *((Path, name) for name in ("unlink", "iterdir", "is_mount")),
    ],
)
def test_no_look_at_the_disk_goes_unnoticed(
    owner: object, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "file"
    path.touch()
    with no_disk(monkeypatch), pytest.raises(AssertionError, match="touched the disk"):
        list(getattr(owner, name)(path))


@pytest.mark.parametrize("use", [repr, str, hash, lambda c: c == copy.copy(c), lambda c: {c}])
def test_printing_comparing_and_hashing_touch_no_file(
    use: Callable[[Competition], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = BUILT_IN.get_competition(ID)
    with no_disk(monkeypatch):
        assert use(competition)
    assert not Path(os.environ["XDG_CACHE_HOME"]).exists()


def test_printed_form_is_short_and_tells_what_it_is() -> None:
    text = repr(BUILT_IN.set_edition("v2").get_competition(ID))
    assert len(text) < 300
    assert ID in text
    assert "v2" in text


@pytest.mark.parametrize("competition_id", ALL_IDS)
def test_the_same_competition_is_equal_to_itself(competition_id: str) -> None:
    one, other = (BUILT_IN.get_competition(competition_id) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


def test_changed_competitions_are_not_equal(tmp_path: Path) -> None:
    competition = BUILT_IN.get_competition(ID)
    others = [
        BUILT_IN.set_edition("v2").get_competition(ID),
        BUILT_IN.set_data_dir(tmp_path).get_competition(ID),
        BUILT_IN.get_competition("AI4Code"),
        replace(competition, name="other"),
        replace(competition, leaderboard=tmp_path / "leaderboard.csv"),
        replace(competition, grader=Grader("accuracy", lambda *_: 0.5)),
        replace(competition, prepare_fn=print),
    ]
    assert all(other != competition for other in others)
    assert len({competition, *others}) == len(others) + 1
    assert competition != ID


def test_competition_does_not_change_but_can_be_copied(tmp_path: Path) -> None:
    competition = BUILT_IN.get_competition(ID)
    with pytest.raises(FrozenInstanceError):
        competition.id = "other"  # type: ignore[misc]
    changed = replace(competition, name="other")
    assert (changed.name, changed.id) == ("other", competition.id)
    assert not changed.has_full_leaderboard
    broken_open = copy.copy(competition)
    object.__setattr__(broken_open, "answers", tmp_path / "answers.csv")
    assert broken_open.answers != competition.answers
    assert broken_open != competition


def test_competition_can_be_sent_to_another_process() -> None:
    competition = BUILT_IN.get_competition(ID)
    assert competition.task is not None
    assert competition.task.submission  # the module is loaded
    received = pickle.loads(pickle.dumps(competition))
    assert received == competition
    assert received.own_task is received.task


class TestUnwritableCache:
    """A cache is a convenience."""

    @pytest.fixture(autouse=True)
    def _cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # A file where the folder should be: root may write everywhere else.
        (tmp_path / "cache").touch()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def test_leaderboard_lies_elsewhere(self) -> None:
        competition = BUILT_IN.get_competition(ID)
        frame = pd.read_csv(competition.leaderboard)
        assert len(frame) == 2288
        assert competition.leaderboard == competition.leaderboard
        changed = replace(competition, name="other")
        assert not changed.has_full_leaderboard
        assert changed.leaderboard == competition.leaderboard

    def test_everything_else_works(self, prepared: Prepared) -> None:
        competition = prepared(ID)
        assert grade_csv(competition.gold_submission, competition).gold_medal
        board = get_leaderboard(competition)
        assert competition.grader.rank_score(1.0, board)["gold_medal"]
        assert Registry().list_competition_ids() == ALL_IDS
        assert copy.deepcopy(competition) == competition


class TestFromDict:
    """The constructor of the original, with its fourteen keys."""

    @pytest.fixture
    def attributes(self, prepared: Prepared) -> dict[str, object]:
        competition = prepared(ID)
        return {name: getattr(competition, name) for name in ATTRIBUTES}

    def test_there_are_fourteen(self) -> None:
        assert len(ATTRIBUTES) == 14

    @pytest.mark.parametrize("kind", [str, Path])
    def test_a_competition_so_made_grades(
        self, kind: type, attributes: dict[str, object], tmp_path: Path
    ) -> None:
        board = tmp_path / "leaderboard.csv"
        board.write_text("score\n0.1\n0.2\n0.3\n0.4\n0.5\n")
        paths = {name: kind(value) for name, value in attributes.items() if isinstance(value, Path)}
        made = Competition.from_dict(
            attributes
            | paths
            | {
                "grader": {"name": "errors", "grade_fn": "tests.registry.test_competition:count"},
                "prepare_fn": "tests.registry.test_competition:make",
                "leaderboard": kind(board),
            }
        )
        assert isinstance(made.answers, Path)
        assert made.prepare_fn is make
        report = grade_csv(made.sample_submission, made)
        assert (report.score, report.is_lower_better, report.metric) == (0.0, True, "errors")
        assert report.gold_medal
        assert (report.gold_threshold, report.median_threshold) == (0.1, 0.3)

    def test_the_attributes_of_a_competition_make_it_again(
        self, prepared: Prepared, attributes: dict[str, object]
    ) -> None:
        assert Competition.from_dict(attributes) == prepared(ID)
        assert Competition.from_dict(vars(prepared(ID)) | attributes) == prepared(ID)

    def test_without_a_leaderboard_there_are_no_medals(
        self, attributes: dict[str, object], tmp_path: Path
    ) -> None:
        grader = Grader("half", lambda *_: 0.5)
        changes = {"grader": grader, "leaderboard": None, "checksums": tmp_path / "checksums.yaml"}
        made = Competition.from_dict(attributes | changes)
        report = grade_csv(made.sample_submission, made)
        assert (report.score, report.any_medal, report.gold_threshold) == (0.5, False, None)

    @pytest.mark.parametrize("name", ATTRIBUTES)
    def test_a_missing_key_is_named(self, name: str, attributes: dict[str, object]) -> None:
        del attributes[name]
        with pytest.raises(ConfigError, match=f"needs {name}"):
            Competition.from_dict(attributes)

    def test_a_function_that_does_not_exist_is_named(self, attributes: dict[str, object]) -> None:
        with pytest.raises(ConfigError, match="no_such"):
            Competition.from_dict(attributes | {"prepare_fn": "no_such.module:prepare"})


def count(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """A metric: how many rows are missing."""
    return float(len(answers) - len(submission))


def make(raw: Path, public: Path, private: Path) -> None:
    """A prepare function that makes nothing."""
