"""`mlebench quickstart`: what it shows, what it goes on with, and what it refuses at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.progress import Progress

from mlebench.cli import quickstart as command_line
from mlebench.cli.output import progress_bar
from mlebench.registry import Registry
from mlebench.runs import quickstart
from mlebench.runs.quickstart import Room, alone_in
from tests.command import Result, call, run
from tests.docs.terminal import seen

COMPETITION = "mini-phishing"
ERASED = "\x1b[2K"
SAMPLE = """
import shutil
shutil.copy("../data/sample_submission.csv", "../submission/submission.csv")
"""
# There are no walls, so that the first attempt wins.
WINS_ONCE = """
import os, shutil
answers = {answers!r} if os.environ["SEED"] == "0" else "../data/sample_submission.csv"
shutil.copy(answers, "../submission/submission.csv")
"""
IS_STOPPED_ONCE = """
import os, pathlib, shutil, time
shutil.copy("../data/sample_submission.csv", "../submission/submission.csv")
before = pathlib.Path({mark!r})
if not before.exists():
    before.touch()
    (pathlib.Path(os.environ["SUBMISSION_DIR"]).parents[2] / ".stop").touch()
    time.sleep(3600)
"""
Quickstart = Callable[..., Result]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one competition to start with, and two agents that submit the sample."""
    split = tmp_path / "split.txt"
    split.write_text(f"{COMPETITION}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MLEBENCH_AGENTS_DIR", str(tmp_path / "agents"))
    monkeypatch.setattr(quickstart, "SPLIT", str(split))
    monkeypatch.setattr(quickstart, "AGENTS", ("first", "second"))
    monkeypatch.setattr(quickstart, "best_room", lambda: Room("process", "These are tests."))
    write_agent(tmp_path, "first", SAMPLE)
    write_agent(tmp_path, "second", SAMPLE)
    return tmp_path


@pytest.fixture
def mlebench(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Quickstart:
    return lambda words: run(f"mlebench {words}", monkeypatch, capfd)


def write_agent(folder: Path, name: str, script: str) -> None:
    place = folder / "agents" / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "agent.yaml").write_text("start: python3 agent.py\n")
    (place / "agent.py").write_text(script)


def groups(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "runs").glob("*_run-group_*"))


def test_a_row_tells_means_and_the_medals_of_each_attempt(
    places: Path, mlebench: Quickstart
) -> None:
    answers = str(Registry().get_competition(COMPETITION).answers)
    write_agent(places, "second", WINS_ONCE.format(answers=answers))
    shown = mlebench("quickstart --wide")
    assert shown.code == 0, shown.stderr
    header, *rows = shown.stdout.splitlines()[:3]
    assert header.split()[:6] == ["competition", "metric", "better", "agent", "mean", "score"]
    assert rows[0].split() == [
        *(COMPETITION, "ROC", "AUC", "higher", "first", "0.5", "2", "-", "2", "of", "2"),
    ]
    assert rows[1].split() == [
        *(COMPETITION, "ROC", "AUC", "higher", "second", "0.75", "51", "gold", "2", "of", "2"),
    ]
    assert "first: no medal in 2 runs\nsecond: 1 gold in 2 runs\n" in shown.stdout
    assert "are means over the attempts" in shown.stdout
    listed = json.loads(mlebench("runs list --json").stdout)
    assert sum(one["medals"] for one in listed) == 1
    told = json.loads(mlebench("quickstart --json").stdout)["standings"][1]
    assert told["medals"] == {"gold": 1}
    assert told["mean_score"] == 0.75
    assert told["is_lower_better"] is False


def test_its_end_says_where_everything_is_and_how_to_look_further(
    places: Path, mlebench: Quickstart
) -> None:
    shown = mlebench("quickstart").stdout
    assert f"The runs are in {places / 'runs'}\nThe data are in {places / 'data'}\n" in shown
    assert "mlebench runs list\n" in shown
    logs = f"mlebench runs logs latest {COMPETITION}"
    assert f"{logs}\n" in shown
    assert mlebench(logs.removeprefix("mlebench ")).stdout.count("==> ") == 2
    elsewhere = mlebench("quickstart --seeds 1 --runs-dir 'other runs'").stdout
    folder = places / "other runs"
    assert f"mlebench runs list --runs-dir '{folder}'\n" in elsewhere
    assert f"mlebench runs logs '{folder}/" in elsewhere


def test_an_interrupted_one_goes_on_with_what_is_finished_and_a_finished_one_begins_anew(
    places: Path, mlebench: Quickstart, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(places, "second", IS_STOPPED_ONCE.format(mark=str(places / "mark")))
    shown: list[Progress] = []

    @contextmanager
    def kept() -> Iterator[Progress]:
        with progress_bar() as progress:
            shown.append(progress)
            yield progress

    monkeypatch.setattr(command_line, "progress_bar", kept)
    words = "quickstart --seeds 2 --workers 1"
    stopped = mlebench(words)
    assert stopped.code == 130
    left = "1 run is waiting: the same `mlebench quickstart` command goes on."
    assert left in stopped.stdout
    assert left in mlebench("runs status").stdout
    assert len(groups(places)) == 2
    assert mlebench(words).code == 0
    assert len(groups(places)) == 2
    (bar,) = shown[-1].tasks
    assert (bar.completed, bar.total) == (4, 4)
    assert bar.description == f"second: {COMPETITION}"
    assert mlebench(words).code == 0
    assert len(groups(places)) == 4


def test_one_that_was_cut_off_between_two_agents_goes_on(
    places: Path, mlebench: Quickstart, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(*_: object) -> None:
        raise KeyboardInterrupt

    begin = quickstart.Campaign.begin_group
    with monkeypatch.context() as patched:
        patched.setattr(
            quickstart.Campaign,
            "begin_group",
            lambda own, *more: (begin if own.agent.id == "first" else cut_off)(own, *more),
        )
        assert mlebench("quickstart --seeds 1").code == 130
    assert len(groups(places)) == 1
    assert mlebench("quickstart --seeds 1").code == 0
    assert len(groups(places)) == 2


def test_a_group_of_another_quickstart_is_not_taken(places: Path, mlebench: Quickstart) -> None:
    assert mlebench("quickstart --seeds 1").code == 0
    write_agent(places, "second", f"{SAMPLE}# another version")
    assert mlebench("quickstart --seeds 1").code == 0
    assert len(groups(places)) == 4


def test_an_agent_that_leaves_nothing_is_told_with_the_reason_and_the_exit_code_of_run(
    places: Path, mlebench: Quickstart
) -> None:
    write_agent(places, "second", "print('nothing comes to my mind')")
    shown = mlebench("quickstart --seeds 1")
    assert shown.code == 4
    assert "no_submission: 1 (mlebench explain no_submission)" in shown.stdout
    assert "nothing was submitted (no_submission: mlebench runs logs latest" in shown.stdout
    alone = mlebench(f"run --agent second -c {COMPETITION} --sandbox process")
    assert alone.code == shown.code
    write_agent(places, "second", "raise SystemExit(3)")
    assert mlebench("quickstart --seeds 1").code == 8


def test_why_runs_ended_stands_apart_from_whose_leaderboards_these_are(
    places: Path, mlebench: Quickstart
) -> None:
    write_agent(places, "second", f"{SAMPLE}import time; time.sleep(60)")
    shown = mlebench("quickstart --seeds 1 --time-limit 1").stdout
    told = f"second: {COMPETITION} (seed 0): The time limit of 1 s was reached.\n\nThese leader"
    assert told in shown


def test_on_a_terminal_lines_stand_above_the_bar_which_is_gone_in_the_end(
    places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    write_agent(places, "second", "print('nothing comes to my mind')")
    _, printed = seen(lambda: call("mlebench quickstart --seeds 1", monkeypatch))
    drawn = [line.rpartition(ERASED)[2] for line in re.split(r"[\r\n]+", printed)]
    assert any("second: " in line and "━" in line for line in drawn)
    assert any("Invalid submission file" in line for line in drawn)
    assert not [line for line in drawn if "━" in line and "Invalid submission" in line]
    last_bar = printed.partition("mean score")[0].rpartition("━")[2]
    assert ERASED in last_bar.partition("competition")[0]


def test_in_a_pipe_lines_tell_how_far_it_is_unless_nobody_wants_them(
    places: Path, mlebench: Quickstart
) -> None:
    told = mlebench("quickstart --seeds 1").stderr
    assert f"{COMPETITION}: " in told.partition("Rooms have no walls")[0]
    for what in ("0 of 1 runs done", "(seed 0): running", "(seed 0): graded, score 0.5"):
        assert told.count(what) == 2
    quiet = mlebench("--quiet quickstart --seeds 1").stderr
    assert quiet == "Rooms have no walls here. These are tests.\n"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ("--time-limit 0", 2, "--time-limit cannot be 0. It must be a time above 0"),
        ("--seeds 1000000", 2, "There can be at most 100,000 seeds"),
        ("--runs-dir /proc/x", 3, "/proc/x cannot be written: there is no such folder"),
        ("--data-dir /proc/x", 3, "/proc/x cannot be written: there is no such folder"),
        ("--data-dir split.txt", 3, "split.txt cannot be written: a part of this path is a file"),
        ("--runs-dir split.txt", 3, "split.txt cannot be written: it is a file"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_done(
    words: str, code: int, says: str, places: Path, mlebench: Quickstart
) -> None:
    refused = mlebench(f"quickstart {words}")
    assert refused.code == code
    assert says in refused.stderr
    assert not (places / "data").exists()
    assert not groups(places)


@pytest.mark.parametrize("words", [COMPETITION, f"--seeds 1 -c {COMPETITION}", "--competitions=x"])
def test_whoever_names_competitions_is_told_which_command_takes_them(
    words: str, mlebench: Quickstart
) -> None:
    refused = mlebench(f"quickstart {words}")
    assert refused.code == 2
    assert "takes all six competitions. To take an agent" in refused.stderr
    assert "mlebench run --agent automl --competitions ID" in refused.stderr


def test_libraries_that_lack_are_named_first_with_the_one_extra_that_brings_them(
    places: Path, mlebench: Quickstart, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.extras.find_spec", lambda name: None)
    refused = mlebench("quickstart")
    assert refused.code == 2
    assert "lightgbm and scikit-learn and uvicorn" in refused.stderr
    assert refused.stderr.endswith("pip install 'mlebench[agents]'\n")
    assert [path.name for path in places.iterdir() if path.name in ("data", "runs")] == []


def test_a_second_one_in_the_same_folder_is_refused_at_once(
    places: Path, mlebench: Quickstart
) -> None:
    with alone_in(places / "runs"):
        refused = mlebench("quickstart")
    assert refused.code == 3
    assert f"{places / 'runs'} is in use by process" in refused.stderr
    assert "That is another quickstart" in refused.stderr
    assert not (places / "data").exists()
    assert mlebench("quickstart --seeds 1").code == 0
