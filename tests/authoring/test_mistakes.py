"""Authors' mistakes: a message with file, line and what was expected, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.authoring.scaffold import create_competition
from mlebench.authoring.selfcheck import check_competition
from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError, MlebenchError, TaskError
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.competition import Competition


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return create_competition("mine", tmp_path / "competitions")


@pytest.fixture
def registry(folder: Path, tmp_path: Path) -> Registry:
    return Registry(tmp_path / "data", [folder.parent])


def change(path: Path, old: str, new: str) -> int:
    """Replace a piece of a file; the line that it stands in."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('Number("value"),)', 'Number("value"),', "was never closed (task.py, line {line})"),
        ("import pandas as pd", "import pandaz", "No module named 'pandaz' (task.py, line {line})"),
        ("import rmse", "import rmsee", "cannot import name 'rmsee'"),
        (
            '(Number("value"),)',
            '(Number("value"))',
            "needs a comma behind it: (x,). (task.py, line ",
        ),
        ('Number("value")', 'Number("value", lowest=0)', "'lowest' (task.py, line {line})"),
        (
            "def prepare(raw: Path, public",
            "def prepare(raw: Path, open",
            "must take the parameters",
        ),
        ('raw / "train.csv"', 'raw / "trian.csv"', "trian.csv"),
        ('drop(columns="value")', 'drop(columns="values")', "(task.py, line {line})"),
    ],
)
def test_a_mistake_in_the_task_names_its_line(
    folder: Path, registry: Registry, old: str, new: str, said: str
) -> None:
    line = change(folder / "task.py", old, new)
    expected = said.format(line=line)
    with pytest.raises(MlebenchError) as caught:
        prepare(registry.get_competition("mine"), fixture=True)
    assert expected in str(caught.value)
    checked = check_competition("mine", registry)
    assert not checked.passed
    assert any(expected in check.detail for check in checked.checks)


def test_a_mistake_in_the_fixture_names_its_line(folder: Path, registry: Registry) -> None:
    path = folder / "fixture.py"
    path.write_text("def fixture(raw):\n    return 1 / 0\n")
    with pytest.raises(TaskError, match=r"ZeroDivisionError.*\(fixture\.py, line 2\)"):
        prepare(registry.get_competition("mine"), fixture=True)


def test_a_full_disk_is_nobodys_mistake(folder: Path, registry: Registry) -> None:
    code = "def fixture(raw):\n    raise OSError(28, 'No space left on device')\n"
    (folder / "fixture.py").write_text(code)
    with pytest.raises(OSError, match="No space left"):
        prepare(registry.get_competition("mine"), fixture=True)


def test_a_score_that_fails_names_its_line_but_quotes_nothing(
    folder: Path, registry: Registry
) -> None:
    line = change(folder / "task.py", "    return rmse(", "    raise KeyError(truth); return rmse(")
    competition: Competition = registry.get_competition("mine")
    prepare(competition, fixture=True)
    report = grade_csv(competition.sample_submission, competition)
    assert report.status == "grader_error"
    assert report.error is not None
    assert f"(KeyError in task.py, line {line})" in report.error["message"]
    assert "value" not in report.error["message"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("metric: ", "metrik: ", "line {line}: there is no field 'metrik'; did you mean 'metric'?"),
        ("  teams:", "  team:", "line {line}: there is no field 'team'; did you mean 'teams'?"),
        ("lower_is_better: true", "lower_is_better: often", "line {line}: Expected `bool`"),
        ("gold: 0.5", "gold: high", "line {line}: Expected `float`, got `str` in leaderboard.gold"),
        ("metric: root mean squared error", "", "missing required field `metric`"),
        ("id: mine", "id: yours", "must equal the folder's name"),
        ("title: ", "title: [", "is not valid YAML"),
    ],
)
def test_a_mistake_in_the_facts_names_its_line(
    folder: Path, registry: Registry, old: str, new: str, said: str
) -> None:
    line = change(folder / "competition.yaml", old, new)
    with pytest.raises(ConfigError) as caught:
        registry.get_competition("mine")
    assert said.format(line=line) in str(caught.value)
    assert "competition.yaml" in str(caught.value)
