"""Grading many submissions: every line gets its report, whatever happens to the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlebench.errors import ConfigError
from mlebench.grade_helpers import CompetitionReport
from mlebench.grading.batch import BatchLimits, _Batch, grade_jsonl
from mlebench.grading.journal import Journal
from mlebench.grading.lines import read_submission_lines
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from tests.grading.original import ANSWERS, SUBMISSION, add_original
from tests.helpers import add_unwritten, write_lines


def entry(competition_id: str, path: Path | str | None) -> dict[str, Any]:
    return {"competition_id": competition_id, "submission_path": path and str(path)}


def grade(
    registry: Registry, folder: Path, entries: list[Any], **options: Any
) -> list[dict[str, Any]]:
    submissions = write_lines(folder / "submissions.jsonl", entries)
    output = folder / "out"
    report = grade_jsonl(submissions, output, registry, **options)
    assert list(output.iterdir()) == [report]  # the journal is gone
    return json.loads(report.read_text(encoding="utf-8"))["competition_reports"]


def statuses(reports: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(report["competition_id"], report["status"]) for report in reports]


def test_each_line_gets_its_own_report_in_order(
    graders: Registry, sample: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("id,nonsense\n1,2\n")
    reports = grade(
        graders,
        tmp_path,
        [
            entry("plain", sample),
            "# a comment",
            "not json",
            entry("aborts", sample),
            "",
            "  // another comment",
            entry("prints", sample),
            '["a", "list"]',
            entry("exits", sample),
            {"competition_id": "plain"},
            {"submission_path": str(sample)},
            entry("plain", "no/such/file.csv"),
            entry("plain", None),
            {"competition_id": "plain", "submission_path": 7},
            entry("spaceship-titanic", sample),
            entry("no-such-competition", sample),
            entry("raises", sample),
            entry("plain", broken),
            entry("plain", sample),
        ],
        workers=2,
    )
    assert statuses(reports) == [
        ("plain", "graded"),
        ("", "bad_line"),
        ("aborts", "crashed"),
        ("prints", "graded"),
        ("", "bad_line"),
        ("exits", "grader_error"),
        ("plain", "bad_line"),
        ("", "bad_line"),
        ("plain", "no_submission"),
        ("plain", "no_submission"),
        ("plain", "bad_line"),
        ("spaceship-titanic", "not_prepared"),
        ("no-such-competition", "unknown_competition"),
        ("raises", "grader_error"),
        ("plain", "invalid_submission"),
        ("plain", "graded"),
    ]
    assert reports[3]["score"] == 0.25
    assert reports[0]["score"] == reports[-1]["score"]
    assert "Line 3" in reports[1]["error"]["message"]
    for report in reports:
        assert (report["error"] is None) == (report["status"] == "graded")
    # A lost process still tells the thresholds and that there was a submission.
    assert reports[2]["gold_threshold"] == 0.5
    assert reports[2]["submission_exists"] is True


def test_unwritten_competition_is_called_so(sample: Path, tmp_path: Path) -> None:
    add_unwritten(tmp_path / "own", "planned")
    registry = Registry(tmp_path / "data", [tmp_path / "own"])
    (report,) = grade(registry, tmp_path, [entry("planned", sample)])
    assert report["status"] == "not_written"


def test_batch_agrees_with_grading_one_by_one(
    graders: Registry, sample: Path, tmp_path: Path
) -> None:
    (report,) = grade(graders, tmp_path, [entry("plain", sample)])
    alone = grade_csv(sample, graders.get_competition("plain")).to_dict()
    for changing in ("created_at", "seconds", "line"):
        del report[changing], alone[changing]
    assert report == alone


class TestFurtherFields:
    """What a line says beyond competition and path."""

    def test_they_are_found_in_the_report_with_line_and_medal(
        self, graders: Registry, sample: Path, tmp_path: Path
    ) -> None:
        fields = {"run_id": "a/7", "seed": 3, "tags": ["x", {"deep": None}], "score": "theirs"}
        lines = ["# skipped", entry("plain", sample) | fields, {"seed": 4}, entry("exits", sample)]
        graded, bad, lost = grade(graders, tmp_path, lines)
        assert (graded["line"], graded["extra"], graded["medal"]) == (2, fields, "bronze")
        assert (bad["line"], bad["extra"], bad["status"]) == (3, {"seed": 4}, "bad_line")
        assert (lost["line"], lost["extra"], lost["medal"]) == (4, {}, None)
        again = CompetitionReport.from_dict(graded)
        assert again.to_dict() == graded

    def test_what_json_cannot_hold_costs_nothing(
        self, graders: Registry, sample: Path, tmp_path: Path
    ) -> None:
        line = json.dumps(entry("plain", sample))[:-1]
        deep = "[" * 500 + "]" * 500
        lines = [line + ', "x": NaN}', line + f', "x": {deep}}}', line + ', "x": "\\ud800"}']
        number, nested, surrogate = grade(graders, tmp_path, lines)
        assert (number["status"], number["extra"]) == ("graded", {"x": None})
        assert (nested["status"], nested["extra"]) == ("bad_line", {})
        assert (surrogate["status"], surrogate["extra"]) == ("graded", {"x": "\ud800"})


def test_paths_lead_from_the_submissions_file_or_from_here(
    graders: Registry, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
    wrong = "id,nonsense\n1,2\n"
    (there / "both.csv").write_bytes(sample.read_bytes())
    (here / "both.csv").write_text(wrong)
    (here / "only_here.csv").write_text(wrong)
    monkeypatch.chdir(here)
    paths = ["both.csv", "only_here.csv", "nowhere.csv", "x" * 5000 + ".csv"]
    reports = grade(graders, there, [entry("plain", path) for path in paths])
    expected = ["graded", "invalid_submission", "no_submission", "no_submission"]
    assert [report["status"] for report in reports] == expected
    assert [report["submission_path"] for report in reports] == paths


def test_edition_reaches_the_workers(graders: Registry, sample: Path, tmp_path: Path) -> None:
    (report,) = grade(graders.set_edition("v2"), tmp_path, [entry("plain", sample)])
    assert report["edition"] == "v2"


def test_hanging_grader_is_stopped(graders: Registry, sample: Path, tmp_path: Path) -> None:
    (report,) = grade(graders, tmp_path, [entry("hangs", sample)], limits=BatchLimits(2.5))
    assert report["status"] == "timeout"
    assert "2.5 seconds" in report["error"]["message"]


def test_progress_is_told_after_every_report(
    graders: Registry, sample: Path, tmp_path: Path
) -> None:
    told = []
    grade(
        graders,
        tmp_path,
        ["not json", *[entry("plain", sample)] * 3],
        workers=2,
        on_report=lambda done, total, report: told.append((done, total, report.status)),
    )
    assert [done for done, _, _ in told] == [1, 2, 3, 4]
    assert {total for _, total, _ in told} == {4}
    assert sorted(status for *_, status in told) == ["bad_line", "graded", "graded", "graded"]


def test_whoever_is_told_and_fails_changes_no_verdict(
    graders: Registry, sample: Path, tmp_path: Path
) -> None:
    told: list[str] = []

    def fail(done: int, total: int, report: CompetitionReport) -> None:
        told.append(report.status)
        raise KeyError("of the listener")

    submissions = write_lines(tmp_path / "submissions.jsonl", [entry("plain", sample)])
    with pytest.raises(KeyError, match="of the listener"):
        grade_jsonl(submissions, tmp_path / "out", graders, workers=1, on_report=fail)
    assert told == ["graded"]


def test_numbers_without_end_cost_nothing(graders: Registry, sample: Path, tmp_path: Path) -> None:
    submissions = tmp_path / "submissions.jsonl"
    line = json.dumps(entry("plain", sample))
    submissions.write_text(f'{line[:-1]}, "rate": 1e999, "low": -1e999, "fine": 1.5}}\n')
    path = grade_jsonl(submissions, tmp_path / "out", graders, workers=1)
    (report,) = json.loads(path.read_text())["competition_reports"]
    assert report["status"] == "graded"
    assert report["extra"] == {"rate": None, "low": None, "fine": 1.5}


def test_a_submission_that_was_lost_was_there(tmp_path: Path) -> None:
    code = "import os\ndef grade(submission, answers):\n    os._exit(7)\n"
    add_original(tmp_path / "competitions", tmp_path / "data", "lost", code)
    (tmp_path / "here.csv").write_text(SUBMISSION)
    lines = [entry("lost", "here.csv"), entry("lost", "nowhere.csv")]
    submissions = write_lines(tmp_path / "submissions.jsonl", lines)
    registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
    path = grade_jsonl(submissions, tmp_path / "out", registry, workers=1)
    here, nowhere = json.loads(path.read_text())["competition_reports"]
    assert (here["status"], here["submission_exists"]) == ("crashed", True)
    assert (here["submission_path"], nowhere["submission_exists"]) == ("here.csv", False)


def test_limits_may_be_written_as_floats(graders: Registry, sample: Path, tmp_path: Path) -> None:
    limits = BatchLimits(memory=4e9, file_bytes=1e8)  # type: ignore[arg-type]
    (report,) = grade(graders, tmp_path, [entry("plain", sample)], limits=limits)
    assert report["status"] == "graded"


def test_many_lines_on_few_workers_keep_their_order(
    graders: Registry, sample: Path, tmp_path: Path
) -> None:
    names = [["plain", "prints", "raises"][number % 3] for number in range(40)]
    reports = grade(graders, tmp_path, [entry(name, sample) for name in names], workers=3)
    assert [report["competition_id"] for report in reports] == names


def test_no_lines_give_an_empty_report(graders: Registry, tmp_path: Path) -> None:
    assert grade(graders, tmp_path, ["# nothing yet"]) == []


def test_missing_submissions_file_is_a_config_error(graders: Registry, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        grade_jsonl(tmp_path / "none.jsonl", tmp_path, graders)


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "lines.jsonl", ["", "# x", entry("a", "b"), "{", entry("c", None)]
    )
    lines = list(read_submission_lines(path))
    assert [(line.number, line.competition_id) for line in lines] == [(3, "a"), (4, ""), (5, "c")]


class TestJournal:
    """What an interrupted run leaves and the next one finds."""

    @pytest.fixture
    def report(self, graders: Registry, sample: Path) -> CompetitionReport:
        return grade_csv(sample, graders.get_competition("plain"))

    @staticmethod
    def open(folder: Path, registry: Registry) -> Journal:
        submissions = folder / "submissions.jsonl"
        submissions.touch()
        return Journal.open(folder, submissions, registry)

    def test_report_is_found_again(self, graders, report, tmp_path) -> None:
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {}
            journal.add(1, "key", report)
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {1: ("key", report)}

    @pytest.mark.parametrize("status", ["crashed", "timeout", "grader_error", "damaged_answers"])
    def test_only_verdicts_are_kept(self, status, graders, report, tmp_path) -> None:
        with self.open(tmp_path, graders) as journal:
            journal.add(1, "key", replace(report, status=status))
            journal.add(2, None, report)
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {}

    def test_other_edition_has_another_journal(self, graders, report, tmp_path) -> None:
        with self.open(tmp_path, graders) as journal:
            journal.add(1, "key", report)
        with self.open(tmp_path, graders.set_edition("v2")) as journal:
            assert journal.known == {}

    def test_unreadable_entries_cost_themselves_only(self, graders, report, tmp_path) -> None:
        with self.open(tmp_path, graders) as journal:
            journal.add(1, "key", report)
        whole = journal.paths[0].read_bytes()
        broken = (
            b"\xff\n[]\n{}\n"
            + b'{"line": 1, "key": 1, "report": [1]}\n'
            + b"[" * 100_000
            + b"\n"
            + whole[: len(whole) // 2]
        )
        journal.paths[0].write_bytes(broken + b"\n" + whole + whole[: len(whole) // 2])
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {1: ("key", report)}
            journal.add(2, "other", report)
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {1: ("key", report), 2: ("other", report)}

    @pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
    @pytest.mark.parametrize("suffix", ["jsonl", "lock"])
    def test_what_is_no_journal_is_left_alone(self, kind, suffix, graders, tmp_path) -> None:
        with self.open(tmp_path, graders) as journal:
            path = journal.paths[0].with_suffix(f".{suffix}")
            journal.remove()
        precious = tmp_path / "precious"
        precious.write_text("do not touch")
        path.unlink(missing_ok=True)
        {
            "link": lambda: path.symlink_to(precious),
            "pipe": lambda: os.mkfifo(path),
            "folder": path.mkdir,
        }[kind]()
        with self.open(tmp_path, graders) as journal:
            assert journal.known == {}
        assert precious.read_text() == "do not touch"

    def test_two_runs_at_a_time_have_a_journal_each(self, graders, report, tmp_path) -> None:
        with self.open(tmp_path, graders) as first:
            first.add(1, "key", report)
            with self.open(tmp_path, graders) as second:
                assert second.paths != first.paths
                second.add(2, "key", report)
        with self.open(tmp_path, graders) as third:  # finds what both have left
            assert third.known == {1: ("key", report), 2: ("key", report)}
            third.remove()
        assert [path.name for path in tmp_path.iterdir()] == ["submissions.jsonl"]


class TestKnownVerdicts:
    """A journaled verdict holds for as long as nothing it depends on has changed."""

    @pytest.fixture
    def registry(self, tmp_path: Path) -> Registry:
        add_original(tmp_path / "competitions", tmp_path / "data", "counted")
        return Registry(tmp_path / "data", [tmp_path / "competitions"])

    @pytest.fixture
    def submission(self, registry: Registry, tmp_path: Path) -> Path:
        copy = tmp_path / "submission.csv"
        copy.write_bytes(registry.get_competition("counted").sample_submission.read_bytes())
        return copy

    @staticmethod
    def grade(registry: Registry, submission: Path, folder: Path) -> CompetitionReport:
        """One line under a journal that stays, as if the run were killed after it."""
        submissions = write_lines(folder / "submissions.jsonl", [entry("counted", submission)])
        (line,) = read_submission_lines(submissions)
        with Journal.open(folder, submissions, registry) as journal:
            (report,) = _Batch(submissions, [line], registry, journal, None).grade(1, BatchLimits())
        return report

    def test_it_is_taken_from_the_journal(self, registry, submission, tmp_path) -> None:
        first = self.grade(registry, submission, tmp_path)
        assert self.grade(registry, submission, tmp_path) == first  # with the time of the first

    def test_one_of_another_competition_is_none(self, registry, submission, tmp_path) -> None:
        first = self.grade(registry, submission, tmp_path)
        (journal,) = tmp_path.glob(".grading-*.jsonl")
        written = json.loads(journal.read_text())
        written["report"] |= {"competition_id": "other", "score": 1.0}
        journal.write_text(json.dumps(written) + "\n")
        second = self.grade(registry, submission, tmp_path)
        assert (second.competition_id, second.score) == ("counted", first.score)

    @pytest.mark.parametrize("changed", ["submission", "answers", "grader", "leaderboard"])
    def test_it_is_found_anew(self, changed, registry, submission, tmp_path) -> None:
        first = self.grade(registry, submission, tmp_path)
        competition = registry.get_competition("counted")
        path, content = {
            "submission": (submission, SUBMISSION.replace("3,0", "3,1")),
            "answers": (competition.answers, ANSWERS.replace("3,1", "3,0")),
            "grader": (competition.folder / "grade.py", "def grade(s, a):\n    return 1.0\n"),
            "leaderboard": (competition.folder / "leaderboard.csv", "score\n0.1\n0.05\n"),
        }[changed]
        path.write_text(content)
        second = self.grade(registry, submission, tmp_path)
        if changed == "leaderboard":
            assert (first.gold_medal, second.gold_medal) == (False, True)
        else:
            assert (first.score, second.score) == (0.75, 1.0)


GRADE_IN_A_PROCESS = """
import json, sys
from mlebench.grading.batch import BatchLimits, _Batch, grade_jsonl
from mlebench.registry import Registry

submissions, output, data, competitions = sys.argv[1:]
grade_jsonl(submissions, output, Registry(data, [competitions]), workers=1)
"""


def wait_for_entry(output: Path, process: subprocess.Popen) -> dict[str, Any]:
    while process.poll() is None:
        for journal in output.glob(".grading-*.jsonl"):
            if (text := journal.read_text()).endswith("\n"):
                return json.loads(text)
        time.sleep(0.02)
    raise AssertionError("the batch ended before anything was in its journal")


def test_killed_batch_goes_on_where_it_stopped(
    graders: Registry, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = tmp_path / "gate"
    monkeypatch.setenv("MLEBENCH_TEST_GATE", str(gate))
    submissions = write_lines(
        tmp_path / "submissions.jsonl", [entry("plain", sample), entry("waits", sample)]
    )
    output = tmp_path / "out"
    places = [submissions, output, graders.get_data_dir(), *graders.user_dirs]
    process = subprocess.Popen(
        [sys.executable, "-c", GRADE_IN_A_PROCESS, *map(str, places)], start_new_session=True
    )
    try:
        kept = wait_for_entry(output, process)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert not list(output.glob("*_grading_report.json"))

    gate.touch()
    graded = []
    path = grade_jsonl(submissions, output, graders, on_report=lambda *told: graded.append(told[2]))
    first, second = json.loads(path.read_text())["competition_reports"]
    assert first == kept["report"]  # with the time of the first run
    assert second["score"] == 0.75
    assert len(graded) == 2
    assert list(output.iterdir()) == [path]


def test_an_array_of_jobs_is_told_to_be_lines(tmp_path: Path) -> None:
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps([{"competition_id": "x", "submission_path": "y.csv"}], indent=1))
    with pytest.raises(ConfigError, match="one JSON array; leave out its brackets"):
        list(read_submission_lines(path))


@pytest.mark.parametrize("lacking", ["competition_id", "submission_path"])
def test_a_line_that_lacks_something_says_what(tmp_path: Path, lacking: str) -> None:
    entry = {"competition_id": "x", "submission_path": "y.csv"}
    del entry[lacking]
    (line,) = read_submission_lines(write_lines(tmp_path / "jobs.jsonl", [entry]))
    assert line.problem == f"Line 1 needs {lacking}."
