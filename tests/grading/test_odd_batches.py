"""Batches on odd machines and with odd folders: good lines keep their scores, nothing is lost."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mlebench.data.prepare import prepare
from mlebench.errors import ProcessLostError
from mlebench.grading.batch import BatchLimits, grade_jsonl
from mlebench.grading.identity import _is_task
from mlebench.grading.libraries import _imported_names
from mlebench.grading.worker import GradingHandler
from mlebench.registry import Registry
from mlebench.registry.scores_file import LONGEST_FILE
from mlebench.settings import PACKAGE_DIR
from tests.grading.original import SCORE, add_original
from tests.helpers import add_competition, write_lines

REFUSES = "from mlebench.grade_helpers import InvalidSubmissionError\n"

FORGES = """
import json, os, sys
def score(truth, predicted):
    frame = sys._getframe()
    while frame and not {"request", "answers"} <= set(frame.f_locals):
        frame = frame.f_back
    token = frame.f_locals["request"]["token"]
    report = dict(%s)
    line = "A" + token + json.dumps({"report": report, "key": None})
    os.write(frame.f_locals["answers"], line.encode() + b"\\n")
    os._exit(0)
"""

BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an infinite leaderboard": ({"leaderboard": b"score\ninf\n3\n2\n1\n"}, "config_error"),
    "a refusal of no column": (
        {"code": REFUSES + "def grade(a, b): raise InvalidSubmissionError('x', column=0 * 1e999)"},
        "invalid_submission",
    ),
    "a refusal of numpys column": (
        {
            "code": REFUSES
            + "import numpy as np\n"
            + "def grade(a, b): raise InvalidSubmissionError('x', column=np.int64(3))"
        },
        "invalid_submission",
    ),
    "a huge score": ({"code": "def grade(a, b): return 10**400"}, "grader_error"),
}


def grade(folder: Path, *names: str, limits: BatchLimits | None = None) -> list[dict[str, Any]]:
    """Reports on the sample submissions of some competitions."""
    registry = Registry(folder / "data", [folder / "competitions"])
    lines = [
        {
            "competition_id": name,
            "submission_path": str(registry.get_data_dir() / name / SAMPLE),
        }
        for name in names
    ]
    submissions = write_lines(folder / "submissions.jsonl", lines)
    report = grade_jsonl(submissions, folder / "out", registry, workers=2, limits=limits)
    return json.loads(report.read_text(encoding="utf-8"))["competition_reports"]


SAMPLE = Path("prepared/public/sample_submission.csv")


def test_bad_folders_cost_their_own_lines(tmp_path: Path) -> None:
    places = tmp_path / "competitions", tmp_path / "data"
    names = {name.replace(" ", "-"): case for name, case in BAD.items()}
    for name, (options, _) in names.items():
        add_original(*places, name, **options)
    add_original(*places, "plain")
    reports = grade(tmp_path, "plain", *names, "plain")
    assert [report["status"] for report in reports[1:-1]] == [status for _, status in BAD.values()]
    assert [report["score"] for report in (reports[0], reports[-1])] == [SCORE, SCORE]


@pytest.mark.parametrize(
    "report",
    [
        "competition_id='forged', status='crashed', error=7, created_at='2026-01-01'",
        "competition_id='forged', status='sublime', created_at='2026-01-01'",
        "competition_id='plain', status='graded', score=1, created_at='2026-01-01'",
        "competition_id='forged', percentile=float('nan'), created_at='2026-01-01'",
    ],
)
def test_a_forged_report_is_none(report: str, tmp_path: Path) -> None:
    """Written by an author's code into the pipe that its process answers through."""
    add_original(tmp_path / "competitions", tmp_path / "data", "plain")
    add_competition(tmp_path / "competitions", "forged", FORGES % report)
    registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
    prepare(registry.get_competition("forged"), fixture=True)
    first, forged, last = grade(tmp_path, "plain", "forged", "plain")
    assert (first["score"], last["score"]) == (SCORE, SCORE)
    assert (forged["competition_id"], forged["score"]) == ("forged", None)
    assert forged["status"] == "crashed"


def test_an_endless_leaderboard_is_not_read(tmp_path: Path) -> None:
    places = tmp_path / "competitions", tmp_path / "data"
    for name in ("plain", "endless"):
        add_original(*places, name)
    os.truncate(places[0] / "endless" / "leaderboard.csv", LONGEST_FILE + 1)
    plain, endless = grade(tmp_path, "plain", "endless")
    assert (plain["score"], endless["status"]) == (SCORE, "config_error")


@pytest.mark.parametrize(("megabytes", "status"), [(600, "graded"), (60, "out_of_memory")])
def test_memory_is_limited_without_a_hang(megabytes: int, status: str, tmp_path: Path) -> None:
    registry = Registry(tmp_path / "data")
    prepare(registry.get_competition("spaceship-titanic"), fixture=True)
    limits = BatchLimits(seconds=60, memory=megabytes * 10**6)
    (tmp_path / "competitions").mkdir()
    (report,) = grade(tmp_path, "spaceship-titanic", limits=limits)
    assert report["status"] == status


@pytest.mark.parametrize("trouble", ["children are ignored", "the working directory is gone"])
def test_odd_surroundings_change_no_score(trouble: str, tmp_path: Path) -> None:
    places = tmp_path / "competitions", tmp_path / "data"
    calls = "import subprocess\ndef grade(a, b): return subprocess.run(['false']).returncode"
    add_original(*places, "plain", calls)
    sample = places[1] / "plain" / SAMPLE
    lines = [
        {"competition_id": "plain", "submission_path": path} for path in (str(sample), "x.csv")
    ]
    submissions = write_lines(tmp_path / "submissions.jsonl", lines)
    here = tmp_path / "here"
    here.mkdir()

    def before() -> None:
        if trouble == "children are ignored":
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        else:
            here.rmdir()

    command = [
        *(sys.executable, "-P", "-m", "mlebench", "--quiet", "grade"),
        *("--submission", str(submissions), "--output-dir", str(tmp_path / "out")),
        *("--competitions-dir", str(places[0]), "--data-dir", str(places[1])),
        *("--time-limit", "60"),
    ]
    done = subprocess.run(
        command,
        cwd=here,
        preexec_fn=before,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (report,) = (tmp_path / "out").iterdir()
    graded, missing = json.loads(report.read_text())["competition_reports"]
    assert (graded["score"], missing["status"]) == (1.0, "no_submission")


def test_imports_are_found_without_parsing() -> None:
    source = (
        "import os, numpy as np\nfrom sklearn.metrics import f1_score\n  import scipy.stats\nx=1\n"
    )
    assert set(_imported_names(source)) == {"os", "numpy", "sklearn.metrics", "scipy.stats"}
    assert not list(_imported_names("important = 1\nfromage = 2\n"))


def test_helpers_of_graders_count_as_our_code() -> None:
    assert not _is_task(PACKAGE_DIR / "competitions" / "utils.py")
    assert _is_task(PACKAGE_DIR / "competitions" / "spaceship-titanic" / "task.py")


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("can't start new thread"),
        RuntimeError("Failed to launch worker thread: Resource temporarily unavailable"),
        OSError(errno.EMFILE, "Too many open files"),
    ],
)
def test_a_machine_without_means_is_nobodys_fault(error: Exception, tmp_path: Path) -> None:
    handler = GradingHandler(Registry(tmp_path).settings(), 10**6)
    with pytest.raises(ProcessLostError, match="cannot go on"):
        handler._report_error("spaceship-titanic", None, error)
