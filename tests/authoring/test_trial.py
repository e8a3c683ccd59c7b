"""Three competitions as users would write them, from made-up data to exact scores.

They use the public vocabulary alone, and are run with the commands that their authors type.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from mlebench.authoring.kinds import Kind
from mlebench.authoring.scaffold import create_competition
from tests.command import run
from tests.helpers import write_lines

TRIAL = Path(__file__).with_name("trial")
VOCABULARY = ("mlebench.submission", "mlebench.metrics", "mlebench.preparing")


@dataclass(frozen=True)
class Expected:
    """Submissions to a competition, with what was computed by hand for them."""

    middling: str
    score: float
    broken: str
    code: str
    message: str
    best: float = 1.0
    medal: str | None = None


# For the images `{red}`, `{amber}` and `{green}` stand for the file that shows that light.
TRIALS = {
    # Truth: hill 2 and 4, shore 0 and 6. Errors 1, 0, 2 and -4: the root of (1 + 4 + 16) / 4.
    "rain-by-station": Expected(
        "station,day,rain\nshore,4,2\nhill,3,3\nhill,4,4\nshore,3,2\n",
        2.29129,
        "station,day,rain\nhill,3,2\nhill,4,4\nhill,4,0\nshore,3,0\n",
        "duplicate_ids",
        "hill",
        best=0.0,
    ),
    # One of each. Red has precision 1/2 and recall 1, so 2/3; amber 0; green 1: 5/9 in the mean.
    "traffic-lights": Expected(
        "file,light\n{red},red\n{amber},red\n{green},green\n",
        0.55556,
        "file,light\n{red},red\n{amber},\n{green},green\n",
        "missing_value",
        "every row needs a word (row 2: empty)",
        medal="bronze",
    ),
    # ann played blue and high: (1/2 + 2/3) / 2 = 7/12. ben played sun: 1. cem played four, of
    # which three could be guessed, a repeated guess earning nothing: (1 + 2/3) / 3 = 5/9.
    "next-songs": Expected(
        "listener,songs\nben,sun low\nann,low blue high\ncem,star star moon\n",
        0.71296,
        "listener,songs\nben,sun\nann,blue\ndan,sun\n",
        "wrong_ids",
        "dan",
    ),
}


def files_by_light(answers: Path) -> dict[str, str]:
    """The held-out file of each light; other competitions have none."""
    rows = [line.split(",") for line in answers.read_text().splitlines()[1:]]
    return {row[1]: row[0] for row in rows if len(row) == 2}


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial_competition_from_fixture_to_scores(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    expected = TRIALS[name]
    dirs = f"--competitions-dir {TRIAL}"
    data = f"{dirs} --data-dir {tmp_path}"
    checked = run(f"mlebench selfcheck {name} {dirs}", monkeypatch, capfd)
    assert checked.code == 0, checked.stdout
    assert run(f"mlebench prepare {name} --fixture {data}", monkeypatch, capfd).code == 0

    prepared = tmp_path / name / "prepared" / "private"
    known = files_by_light(prepared / "answers.csv") if "{" in expected.middling else {}
    gold = next(filter(Path.is_file, (prepared / "perfect.csv", prepared / "answers.csv")))
    (tmp_path / "middling.csv").write_text(expected.middling.format(**known))
    (tmp_path / "broken.csv").write_text(expected.broken.format(**known))
    paths = [gold, tmp_path / "middling.csv", tmp_path / "broken.csv"]
    source = write_lines(
        tmp_path / "submissions.jsonl",
        [{"competition_id": name, "submission_path": str(path)} for path in paths],
    )
    out = tmp_path / "reports"
    graded = run(
        f"mlebench grade --submission {source} --output-dir {out} --workers 1 {data}",
        monkeypatch,
        capfd,
    )
    assert "Traceback" not in graded.stderr
    (report,) = out.glob("*grading_report.json")
    perfect, middling, broken = json.loads(report.read_text())["competition_reports"]
    assert perfect["score"] == expected.best
    assert (middling["score"], middling["medal"]) == (expected.score, expected.medal)
    assert middling["is_lower_better"] is (expected.best == 0)
    assert (broken["status"], broken["score"]) == ("invalid_submission", None)
    assert broken["error"]["code"] == expected.code
    assert expected.message in broken["error"]["message"]


@pytest.fixture(params=[*TRIALS, *Kind])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A trial competition, or what one starts from."""
    if request.param in TRIALS:
        return TRIAL / request.param
    return create_competition("mine", tmp_path, kind=request.param)


def test_the_public_vocabulary_is_enough(folder: Path) -> None:
    sources = [*folder.glob("*.py")]
    assert sources
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert all(not alias.name.startswith("mlebench") for alias in node.names)
            if isinstance(node, ast.ImportFrom) and not node.level:
                module = node.module or ""
                assert not module.startswith("mlebench") or module.startswith(VOCABULARY), module
