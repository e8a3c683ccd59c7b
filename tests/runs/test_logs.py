"""`runs logs` and `runs submissions`: long logs, and places that are not there."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from mlebench.cli.runs import _lines_of
from mlebench.runs.finding import open_group
from mlebench.runs.group import RunGroup, groups_in
from mlebench.runs.overviews import write_metadata
from mlebench.runs.specification import Specification
from tests.command import run


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("count", [1, 2, 7, 30_000])
@pytest.mark.parametrize("tail", [0, 1, 2, 5, 7, 8, 20_000])
def test_the_last_lines_are_those_at_the_end(
    tmp_path: Path, tail: int, count: int, end: str
) -> None:
    lines = [f"line {number}" for number in range(count)]
    (tmp_path / "run.log").write_text("\n".join(lines) + end)
    assert [*_lines_of(tmp_path / "run.log", tail)] == lines[-tail:]


def test_an_empty_log_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "run.log").touch()
    assert [*_lines_of(tmp_path / "run.log", 3)] == []


def test_a_long_log_is_not_read_for_its_end(tmp_path: Path) -> None:
    (tmp_path / "run.log").write_bytes(b"some line\n" * 3_000_000)
    tracemalloc.start()
    try:
        assert [*_lines_of(tmp_path / "run.log", 2)] == ["some line"] * 2
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1_000_000


@pytest.fixture
def group(tmp_path: Path) -> RunGroup:
    specification = Specification("a", "d", ("c",), 1, "v1", "process")
    group = RunGroup.create(tmp_path, "a", specification, {"conditions": {}})
    write_metadata(group, "0")
    return group


def test_a_number_of_lines_below_none_is_refused(
    group: RunGroup, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(f"mlebench runs logs {group.folder} --tail=-1", monkeypatch, capfd).code == 2


def test_a_missing_folder_for_the_output_is_told(
    group: RunGroup, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    metadata, output = group.folder / "metadata.json", group.folder / "none" / "out.jsonl"
    line = f"mlebench runs submissions --metadata {metadata} --output {output}"
    result = run(line, monkeypatch, capfd)
    assert result.code == 2
    assert f"There is no folder {output.parent}" in " ".join(result.stderr.split())


def test_the_latest_group_is_the_one_begun_last_whatever_it_is_called(tmp_path: Path) -> None:
    specification = Specification("a", "d", ("c",), 1, "v1", "process")
    made = [RunGroup.create(tmp_path, name, specification, {}) for name in ("z", "m", "a")]
    assert [group.name for group in groups_in(tmp_path)] == [group.name for group in made]
    assert open_group(tmp_path, "latest").name == made[-1].name


def test_verify_says_which_group_it_is_about(
    group: RunGroup, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = f"mlebench runs verify --runs-dir {group.folder.parent}"
    assert str(group.folder) in run(words, monkeypatch, capfd).stdout
    assert f'"run_group": "{group.name}"' in run(f"{words} --json", monkeypatch, capfd).stdout


def test_runs_that_have_printed_nothing_yet_are_named(
    group: RunGroup, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = run(f"mlebench runs logs {group.folder}", monkeypatch, capfd)
    assert (outcome.code, outcome.stdout) == (0, "")
    assert outcome.stderr == "c (seed 0): nothing has been printed yet.\n"
