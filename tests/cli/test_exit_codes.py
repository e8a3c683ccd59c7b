"""Exit codes are those of docs/cli.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.command import run
from tests.grading.hostile import GRADERS
from tests.grading.original import add_original
from tests.helpers import add_unwritten, write_lines

ID = "spaceship-titanic"
DAMAGED, MISSING = "random-acts-of-pizza", "nomad2018-predict-transparent-conductors"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Competitions that are fine, damaged, not prepared, and with a grader that fails."""
    folder = tmp_path_factory.mktemp("world")
    add_original(folder / "own", folder / "data", "raises", GRADERS["raises"].code)
    add_unwritten(folder / "own", "planned")
    registry = Registry(folder / "data", [folder / "own"])
    for name in (ID, DAMAGED):
        competition = registry.get_competition(name)
        prepare(competition, fixture=True)
        (folder / f"{name}.csv").write_bytes(competition.sample_submission.read_bytes())
    registry.get_competition(DAMAGED).answers.write_bytes(b"nothing")
    sample = registry.get_competition("raises").sample_submission
    (folder / "raises.csv").write_bytes(sample.read_bytes())
    (folder / "broken.csv").write_text("PassengerId\n1\n")
    return folder


@pytest.fixture
def mlebench(world: Path, monkeypatch, capfd):
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(world / "data"))
    monkeypatch.setenv("MLEBENCH_COMPETITIONS_DIR", str(world / "own"))
    monkeypatch.chdir(world)

    def call(arguments: str) -> int:
        result = run(f"mlebench {arguments}", monkeypatch, capfd)
        assert "Traceback" not in result.stderr
        return result.code

    return call


@pytest.mark.parametrize("options", ["", " --json", " -q"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (f"{ID}.csv {ID}", 0),
        (f"None {ID}", 0),
        (f"broken.csv {ID}", 4),
        (f"nowhere.csv {ID}", 4),
        (f"{DAMAGED}.csv {DAMAGED}", 3),
        (f"{ID}.csv {MISSING}", 3),
        (f"{ID}.csv no-such-competition", 2),
        (f"{ID}.csv planned", 2),
        (f"{ID}.csv", 2),
        (f"{ID}.csv {ID} --no-such-option", 2),
    ],
)
def test_of_a_single_submission(mlebench, arguments: str, code: int, options: str) -> None:
    assert mlebench(f"grade-sample {arguments}{options}") == code


def test_of_a_grader_that_fails(mlebench) -> None:
    assert mlebench("grade-sample raises.csv raises") == 5


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([(ID, "broken.csv"), (ID, f"{ID}.csv"), ("nope", "x.csv")], 0),
        ([(ID, "broken.csv"), (ID, "nowhere.csv"), ("nope", "x.csv")], 4),
        ([("nope", "x.csv"), ("planned", "x.csv"), (ID, None)], 2),
        ([("nope", None), ("planned", None), *[(ID, None)] * 3], 4),
        ([], 0),
        ([(MISSING, f"{ID}.csv"), (DAMAGED, f"{DAMAGED}.csv")], 3),
        ([("raises", "raises.csv")], 5),
    ],
)
def test_of_a_batch(mlebench, tmp_path: Path, entries, code: int) -> None:
    (path := tmp_path / "lines.jsonl").touch()
    world = Path.cwd()
    write_lines(
        path,
        [
            {"competition_id": name, "submission_path": file and str(world / file)}
            for name, file in entries
        ],
    )
    assert mlebench(f"grade --submission {path} --output-dir {tmp_path} --workers 1") == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("grade", 2),
        ("no-such-command", 2),
        ("grade --submission x --output-dir y --workers many", 2),
        (f"validate broken.csv {ID}", 4),
        (f"validate {ID}.csv {ID}", 0),
        (f"validate {ID}.csv {MISSING}", 3),
    ],
)
def test_of_other_commands(mlebench, arguments: str, code: int) -> None:
    assert mlebench(arguments) == code


@pytest.mark.parametrize("command", ["competitions", "grade-sample x.csv " + ID])
def test_of_an_interrupt(mlebench, monkeypatch, command: str) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mlebench.registry.catalog.Catalog._folders", interrupted)
    assert mlebench(command) == 130


@pytest.mark.parametrize("options", ["", " -v"])
def test_where_a_grader_fails_is_shown_on_request(
    world: Path, monkeypatch, capfd, options: str
) -> None:
    monkeypatch.chdir(world)
    words = f"grade-sample raises.csv raises --data-dir data --competitions-dir own{options}"
    result = run(f"mlebench {words}", monkeypatch, capfd)
    assert ("Traceback" in result.stderr) == bool(options)
    assert "ZeroDivisionError" in result.stderr
