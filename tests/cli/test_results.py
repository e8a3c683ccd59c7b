"""What a person sees after grading, and with which exit code a command leaves."""

from __future__ import annotations

import io
import json
import math
import re
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import mlebench as package
from mlebench.errors import ConfigError
from mlebench.grading.codes import all_explanations
from mlebench.grading.report import CompetitionReport
from mlebench.grading.results import by_competition, load_reports, refusals, reports_frame
from mlebench.grading.single import grade_csv
from mlebench.grading.statuses import ERROR_OF_STATUS
from mlebench.grading.summary import write_grading_report
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.settings import PACKAGE_DIR
from tests.command import call, run
from tests.conftest import Prepared
from tests.grading.original import add_original
from tests.helpers import write_lines


@pytest.fixture
def spaceship(prepared: Prepared) -> Competition:
    return prepared("spaceship-titanic")


@pytest.fixture
def mlebench(monkeypatch, capfd, spaceship, tmp_path):
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(spaceship.data_dir.parent))
    monkeypatch.chdir(tmp_path)
    return lambda arguments: run(f"mlebench {arguments}", monkeypatch, capfd)


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return write_broken(tmp_path)


def write_broken(folder: Path) -> Path:
    path = folder / "broken.csv"
    path.write_text("PassengerId,Transported\n0001_01,perhaps\n")
    return path


class Graded(NamedTuple):
    """What ``mlebench grade`` showed, and the report it wrote."""

    shown: str
    report: Path


@pytest.fixture(scope="module")
def graded(prepared: Prepared, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """A batch with a good submission, an average one, two broken ones and none."""
    spaceship = prepared("spaceship-titanic")
    folder = tmp_path_factory.mktemp("graded")
    broken = write_broken(folder)
    paths = [spaceship.gold_submission, spaceship.sample_submission, broken, broken, None]
    write_lines(
        folder / "submissions.jsonl",
        [
            {"competition_id": spaceship.id, "submission_path": path and str(path), "seed": seed}
            for seed, path in enumerate(paths)
        ],
    )
    command = "mlebench grade --submission submissions.jsonl --output-dir out --workers 1"
    with pytest.MonkeyPatch.context() as monkeypatch, redirect_stdout(io.StringIO()) as shown:
        monkeypatch.setenv("MLEBENCH_DATA_DIR", str(spaceship.data_dir.parent))
        monkeypatch.chdir(folder)
        assert call(command, monkeypatch) == 0
    (report,) = (folder / "out").iterdir()
    return Graded(shown.getvalue(), report)


class TestGrade:
    """``mlebench grade``."""

    def test_shows_results_by_competition_then_refusals(self, graded: Graded) -> None:
        shown = graded.shown
        row = next(line for line in shown.splitlines() if line.startswith("spaceship-titanic"))
        assert row.split()[1:7] == ["5", "2", "1", "0", "0", "1"]
        assert "row_count: 2 (mlebench explain row_count)" in shown
        assert re.search(r"line 3: .*broken\.csv", shown)
        assert "no_submission: 1" in shown
        assert re.search(r"line 5 +Nothing was submitted\.", shown)
        assert "no real medals" in shown
        assert re.search(r"The report is out/.*_grading_report\.json", shown)

    def test_a_file_without_submissions_gets_no_table(self, mlebench, tmp_path: Path) -> None:
        (tmp_path / "empty.jsonl").touch()
        result = mlebench("grade --submission empty.jsonl --output-dir out")
        assert result.code == 0
        first, _, last = result.stdout.splitlines()
        assert first == "There are no submissions."
        assert last.startswith("The report is out/")

    def test_a_csv_is_told_where_to_go(self, mlebench, broken) -> None:
        result = mlebench(f"grade --submission {broken} --output-dir out")
        assert result.code == 2
        assert f"mlebench grade-sample {broken} COMPETITION_ID" in result.stderr


class TestGradeSample:
    """``mlebench grade-sample``."""

    def test_shows_thresholds(self, mlebench, spaceship) -> None:
        result = mlebench(f"grade-sample {spaceship.gold_submission} spaceship-titanic")
        assert result.code == 0
        facts = dict(re.split(r"\s{2,}", line, maxsplit=1) for line in result.stdout.splitlines())
        assert (facts["gold"], facts["medal"]) == ("0.82066", "gold")
        assert "no real medals" in facts["data"]

    def test_an_invalid_submission_is_told_where_its_code_is_explained(
        self, mlebench, broken
    ) -> None:
        result = mlebench(f"grade-sample {broken} spaceship-titanic")
        assert result.code == 4
        assert "mlebench explain row_count" in result.stdout

    def test_a_missing_one_is_as_good_as_invalid(self, mlebench) -> None:
        result = mlebench("grade-sample nowhere.csv spaceship-titanic")
        assert result.code == 4
        assert "mlebench explain no_submission" in result.stdout
        assert "mlebench explain" not in mlebench("grade-sample None spaceship-titanic").stdout

    def test_a_score_that_is_no_number_is_explained(self, mlebench, tmp_path) -> None:
        code = "def grade(submission, answers):\n    return float('nan')\n"
        sample, options = self.add(tmp_path, "undefined", code)
        result = mlebench(f"grade-sample {sample} undefined {options}")
        assert result.code == 0
        assert "mlebench explain graded_nan" in result.stdout

    def test_the_traceback_of_a_grader_is_where_its_code_says(self, mlebench, tmp_path) -> None:
        sample, options = self.add(tmp_path, "fails", "def grade(a, b): raise OSError")
        grading = f"grade-sample {sample} fails {options}"
        told = mlebench("explain grader_error").stdout
        assert "--verbose" in told
        assert "Traceback" not in mlebench(grading).stderr
        assert "Traceback" in mlebench(f"{grading} --verbose").stderr

    @staticmethod
    def add(folder: Path, name: str, code: str) -> tuple[Path, str]:
        """A competition in the original's format: its sample, and the options that find it."""
        add_original(folder / "own", folder / "data", name, code)
        sample = folder / "data" / name / "prepared" / "public" / "sample_submission.csv"
        return sample, f"--competitions-dir {folder / 'own'} --data-dir {folder / 'data'}"

    def test_a_graders_error_is_not_the_submissions(self, mlebench, tmp_path, monkeypatch) -> None:
        sample, options = self.add(tmp_path, "fails", "def grade(a, b): raise OSError")
        assert mlebench(f"grade-sample {sample} fails {options}").code == 5
        submissions = write_lines(
            tmp_path / "submissions.jsonl",
            [{"competition_id": "fails", "submission_path": str(sample)}],
        )
        result = mlebench(f"grade --submission {submissions} --output-dir out {options}")
        assert result.code == 5


class TestReportTable:
    """``mlebench report-table`` and what lies below it."""

    @pytest.fixture
    def report(self, graded: Graded) -> Path:
        return graded.report

    def test_shows_what_grade_showed(self, mlebench, graded: Graded) -> None:
        shown = mlebench(f"report-table {graded.report}").stdout
        assert graded.shown == f"{shown}\nThe report is out/{graded.report.name}\n"

    def test_says_how_to_see_what_it_leaves_out(self, mlebench, gold, tmp_path) -> None:
        refused = replace(gold, score=None, valid_submission=False, status="no_submission")
        path = write_grading_report([refused] * 16, tmp_path)
        shown = mlebench(f"report-table {path}").stdout
        assert f"and 11 more (mlebench report-table {path} --csv)" in shown
        shown = mlebench(f"report-table {path} {path}").stdout
        assert "and 27 more (mlebench report-table REPORT --csv)" in shown

    def test_says_which_of_several_reports_a_line_is_from(
        self, mlebench, gold, tmp_path: Path
    ) -> None:
        refused = replace(gold, score=None, valid_submission=False, status="no_submission", line=2)
        paths = [write_grading_report([refused], tmp_path) for _ in range(2)]
        shown = mlebench(f"report-table {paths[0]} {paths[1]}").stdout
        lines = [line.strip() for line in shown.splitlines()]
        for path in paths:
            assert lines[lines.index(f"in {path}") + 1].startswith("line 2: ")
        assert "  in " not in mlebench(f"report-table {paths[0]}").stdout

    def test_tells_several_agents_apart(self, mlebench, gold, tmp_path: Path) -> None:
        silver = replace(gold, score=0.5, gold_medal=False, any_medal=False)
        paths = [
            write_grading_report([replace(report, extra=extra)], tmp_path)
            for report, extra in ((silver, {"agent": "b"}), (gold, {"agent": "a"}), (gold, {}))
        ]
        rows = [
            line.split()[:4]
            for line in mlebench(f"report-table {' '.join(map(str, paths))}").stdout.splitlines()
        ]
        assert rows[0] == ["competition", "agent", "submissions", "valid"]
        assert [row[1] for row in rows[1:4]] == ["(none", "a", "b"]
        assert rows[2][2:] == ["1", "1"]
        shown = mlebench(f"report-table {paths[0]}").stdout
        assert shown.split()[:2] == ["competition", "submissions"]

    @pytest.mark.parametrize(
        ("folder", "pattern"), [("runs/group", "*_grading_report.json"), ("runs", "*/*_grading")]
    )
    def test_a_folder_is_told_with_a_pattern_that_finds_the_reports_in_it(
        self, gold, folder: str, pattern: str, tmp_path: Path
    ) -> None:
        (tmp_path / "runs" / "group").mkdir(parents=True)
        write_grading_report([gold], tmp_path / "runs" / "group")
        with pytest.raises(ConfigError) as told:
            load_reports([tmp_path / folder])
        assert f"Give the reports in it: {tmp_path / folder}/{pattern}" in str(told.value)
        (advised,) = tmp_path.parent.glob(
            str(told.value).rpartition(f"{tmp_path.parent}/")[2].strip()
        )
        assert len(load_reports([advised])) == 1

    def test_a_folder_without_reports_is_told_as_such(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match="There are no reports in it"):
            load_reports([tmp_path])

    def test_gives_programs_one_row_a_submission(self, mlebench, report, tmp_path) -> None:
        rows = json.loads(mlebench(f"report-table {report} {report} --json").stdout)
        assert [row["seed"] for row in rows] == [0, 1, 2, 3, 4] * 2
        (tmp_path / "table.csv").write_text(mlebench(f"report-table {report} --csv").stdout)
        table = pd.read_csv(tmp_path / "table.csv")
        assert table["medal"].tolist()[0] == "gold"
        assert table["error_code"].tolist()[2] == "row_count"
        assert mlebench(f"report-table {report} --csv --json").code == 2

    def test_a_frame_has_the_same_rows(self, report) -> None:
        table = package.reports_frame(report)
        assert table["line"].tolist() == [1, 2, 3, 4, 5]
        assert table["score"].tolist()[0] == 1.0
        assert len(reports_frame([report, str(report)])) == 10

    @pytest.mark.parametrize(
        "content", ["", "[]", "{}", "[1]", '{"competition_reports": 1}', "[" * 100_000]
    )
    def test_other_files_are_refused(self, tmp_path: Path, content: str) -> None:
        path = tmp_path / "other.json"
        path.write_text(content)
        with pytest.raises(ConfigError, match="is no grading report") as caught:
            load_reports([path])
        assert "Error(" not in str(caught.value)
        with pytest.raises(ConfigError, match="does not exist"):
            load_reports([tmp_path / "nowhere.json"])


@pytest.fixture
def gold(spaceship: Competition) -> CompetitionReport:
    return grade_csv(spaceship.gold_submission, spaceship)


def test_the_best_score_knows_its_direction(gold: CompetitionReport) -> None:
    def best(direction: bool | None, *scores: float | None) -> float | None:
        reports = [replace(gold, score=score, is_lower_better=direction) for score in scores]
        return by_competition(reports)[0].best

    assert best(True, 3.0, 1.0, None, math.nan) == 1.0
    assert best(False, 3.0, 1.0, None, math.nan) == 3.0
    assert best(None, 3.0, 1.0) is None
    assert best(None, 3.0) == 3.0
    assert best(True, None) is None


def test_refusals_come_by_frequency(gold: CompetitionReport) -> None:
    def refused(code: str) -> CompetitionReport:
        return replace(gold, score=None, valid_submission=False, error={"code": code})

    found = refusals([gold, *map(refused, ["row_sum", "wrong_ids", "row_sum"])])
    assert [(refusal.code, len(refusal.reports)) for refusal in found] == [
        ("row_sum", 2),
        ("wrong_ids", 1),
    ]


def test_further_fields_do_not_hide_those_of_the_report(
    gold: CompetitionReport, tmp_path: Path
) -> None:
    report = replace(gold, extra={"score": "theirs", "model": "m"})
    (row,) = reports_frame(write_grading_report([report], tmp_path)).to_dict("records")
    assert (row["score"], row["extra_score"], row["model"]) == (1.0, "theirs", "m")


def test_seeds_stay_whole_where_a_line_lacks_one(gold: CompetitionReport, tmp_path: Path) -> None:
    extras: list[dict[str, Any]] = [{"seed": 7, "huge": 10**30}, {"rate": 2.0}]
    reports = [replace(gold, extra=extra) for extra in extras]
    frame = reports_frame(write_grading_report(reports, tmp_path))
    assert frame["seed"].dropna().map(str).tolist() == ["7"]
    assert frame["rate"].dropna().tolist() == [2.0]
    assert frame["huge"].tolist()[0] == 10**30


def test_rows_of_several_reports_name_theirs(gold: CompetitionReport, tmp_path: Path) -> None:
    paths = [write_grading_report([gold], tmp_path) for _ in range(2)]
    assert reports_frame(paths)["report_file"].tolist() == [*map(str, paths)]


@pytest.mark.parametrize("wrong", [{"extra": None}, {"error": None}])
def test_a_report_may_lack_what_is_none(wrong: dict, gold: CompetitionReport) -> None:
    assert CompetitionReport.from_dict(gold.to_dict() | wrong) == gold


@pytest.mark.parametrize(
    "wrong",
    [
        {"extra": 1},
        {"error": "some text"},
        {"competition_id": None},
        {"gold_medal": "yes"},
        {"valid_submission": None},
        {"is_lower_better": []},
        {"score": 10**400},
    ],
)
def test_a_report_with_other_types_is_none(
    wrong: dict, gold: CompetitionReport, tmp_path: Path
) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(gold.to_dict() | wrong))
    with pytest.raises(ConfigError, match="is no grading report"):
        load_reports([path])


def used_codes() -> set[str]:
    """Every code that the source gives to a refusal."""
    sources = [path.read_text(encoding="utf-8") for path in PACKAGE_DIR.rglob("*.py")]
    return {
        code
        for text in sources
        for pattern in (r'code="(\w+)"', r'refuse\(\s*"(\w+)"')
        for code in re.findall(pattern, text)
    }


class TestExplain:
    """``mlebench explain``."""

    def test_every_code_and_status_is_explained(self) -> None:
        assert used_codes() | set(ERROR_OF_STATUS) - {"invalid_submission"} <= set(
            all_explanations()
        )

    def test_one_is_told_how_to_mend_it(self, mlebench) -> None:
        result = mlebench("explain row_sum")
        assert result.code == 0
        assert "Divide each row by its sum." in result.stdout

    def test_all_are_listed(self, mlebench) -> None:
        listed = json.loads(mlebench("explain --json").stdout)
        assert [entry["code"] for entry in listed] == list(all_explanations())
        assert all(code in mlebench("explain").stdout for code in all_explanations())

    def test_a_misspelt_one_is_guessed(self, mlebench) -> None:
        result = mlebench("explain rowsum")
        assert result.code == 2
        assert "Did you mean 'row_sum'?" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("prepare spaceship-titanic --fixture --from x", "give one of the two"),
        ("prepare --list nowhere.txt --fixture", "one competition id a line"),
    ],
)
def test_mistakes_say_what_to_do(mlebench, arguments: str, message: str) -> None:
    result = mlebench(arguments)
    assert result.code == 2
    assert message in result.stderr


def test_prepare_takes_ids_as_they_are(mlebench, tmp_path: Path) -> None:
    ids = "spaceship-titanic random-acts-of-pizza"
    result = mlebench(f"prepare {ids} --fixture --data-dir {tmp_path} --json")
    assert result.code == 0
    assert [row["competition_id"] for row in json.loads(result.stdout)] == ids.split()
    assert Registry(tmp_path).get_competition("spaceship-titanic").answers.is_file()


@pytest.mark.parametrize("group", ["", "data", "dev"])
def test_help_is_whole(mlebench, group: str) -> None:
    result = mlebench(f"{group} -h")
    assert result.code == 0
    listed = result.stdout.partition("Commands:")[2]
    assert listed
    assert "..." not in listed
    assert mlebench("grade -h").code == 0
