"""Authors' mistakes: a message with file, line and what was expected, never a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mlebench.authoring.scaffold import create_competition
from mlebench.authoring.selfcheck import check_competition
from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError, GraderError, MlebenchError, TaskError
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.signatures import as_score, check_prepare, check_score
from tests.helpers import file_digests


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


def test_an_import_that_fails_does_not_tell_where_we_lie(folder: Path, registry: Registry) -> None:
    line = change(folder / "task.py", "import rmse", "import rmsee")
    checked = check_competition("mine", registry)
    assert checked.checks[-1].detail == (
        "mine/task.py cannot be imported: ImportError: cannot import name 'rmsee' from "
        f"'mlebench.metrics.regression' (task.py, line {line})."
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('key="id"', "key=None", "key must be a column's name or a tuple of names, not None"),
        (
            '(Number("value"),)',
            '("value",)',
            "'value' among the columns is no column; write Number",
        ),
        ('(Number("value"),)', "(Number,)", "Number among the columns is no column; write Number"),
        ('(Number("value"),)', '"value"', "columns must be a tuple, not str"),
        ("import Number, Submission", "import *", "the class Position. Write Position()."),
        (
            'columns=(Number("value"),)',
            'columns=(Number("value"),), rules=(Number,)',
            "Number among the rules is no rule",
        ),
        ("import pandas as pd", "from .names import NAME", "there is no names.py beside it"),
        (
            "def prepare(",
            "prepare = 3\n\n\ndef prepared(",
            "prepare in {folder}/task.py is no function",
        ),
        ("def prepare(", "def prepares(", "task.py does not define prepare"),
        ('Number("value")', 'Number("value", low=5, high=1)', "low=5 is above high=1"),
    ],
)
def test_a_declaration_that_cannot_work_says_what_was_expected(
    folder: Path, registry: Registry, old: str, new: str, said: str
) -> None:
    change(folder / "task.py", old, new)
    if "Position" in said:
        change(folder / "task.py", 'Number("value"),)', 'Number("value"),), matching=Position')
    with pytest.raises(ConfigError) as caught:
        prepare(registry.get_competition("mine"), fixture=True)
    assert said.format(folder=folder) in str(caught.value)
    assert "object has no attribute" not in str(caught.value)
    checks = check_competition("mine", registry).checks
    shown = str(caught.value).replace(f"{folder.parent}/", "")  # as it fits into a table
    assert [check.detail for check in checks if not check.passed] == [shown]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "    return rmse",
            "    rmse",
            "returned nothing instead of a number; is a `return` missing?",
        ),
        ("return rmse(", "return str(rmse(", "must return a number; it returned a str."),
        ("return rmse(", "return pd.Series([rmse(", "must return a number; it returned a Series."),
    ],
)
def test_a_score_that_is_no_number_is_told(
    folder: Path, registry: Registry, old: str, new: str, said: str
) -> None:
    change(folder / "task.py", old, new)
    if new.count("(") > 1:
        closing = "])" if "[" in new else ")"
        change(folder / "task.py", 'predicted["value"])', f'predicted["value"]){closing}')
    line = change(folder / "task.py", "def score(", "def score(")
    competition = registry.get_competition("mine")
    prepare(competition, fixture=True)
    report = grade_csv(competition.sample_submission, competition)
    assert report.status == "grader_error"
    assert report.error is not None
    assert report.error["message"] == f"score of mine (task.py, line {line}) {said}"
    details = [check.detail for check in check_competition("mine", registry).checks]
    assert report.error["message"] in details


@pytest.mark.parametrize(
    "parameters", ["predicted", "predicted, truth", "truth, predicted, weights", "", "truth, *, p"]
)
def test_a_score_with_other_parameters_is_refused(
    folder: Path, registry: Registry, parameters: str
) -> None:
    change(
        folder / "task.py",
        "score(truth: pd.DataFrame, predicted: pd.DataFrame)",
        f"score({parameters})",
    )
    competition = registry.get_competition("mine")
    prepare(competition, fixture=True)
    with pytest.raises(ConfigError, match=r"score of mine .* must take the parameters truth, pred"):
        grade_csv(competition.sample_submission, competition)


def test_a_score_that_takes_its_parameters_by_name_alone_is_told_so() -> None:
    def score(*, truth: object, predicted: object) -> None: ...

    with pytest.raises(ConfigError, match=r"truth, predicted by position, .* remove the \*"):
        check_score(score, "score")


def test_a_prepare_that_takes_its_parameters_by_position_alone_is_told_so() -> None:
    def prepare(raw: object, public: object, private: object, /) -> None: ...

    with pytest.raises(ConfigError, match="by name: remove the /"):
        check_prepare(prepare, "prepare")


def test_a_function_that_hides_its_parameters_is_refused(folder: Path, registry: Registry) -> None:
    with (folder / "task.py").open("a") as module:
        module.write("\n\nscore = max\n")
    competition = registry.get_competition("mine")
    prepare(competition, fixture=True)
    with pytest.raises(ConfigError, match="score of mine does not tell its parameters; write a"):
        grade_csv(competition.sample_submission, competition)


def test_a_score_beyond_all_floats_is_told() -> None:
    with pytest.raises(GraderError, match="returned a number too large"):
        as_score(10**400, "score")


@pytest.mark.parametrize("parameters", ["y, p", "truth, predicted, rows", "*tables", "t, p, k=3"])
def test_a_score_may_name_its_parameters_otherwise(parameters: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"def score({parameters}): pass", namespace)
    check_score(namespace["score"], "score")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "def fixture(raw): pass",
            r"fixture of mine \(fixture.py, line 1\) wrote no file into raw",
        ),
        ("def fixture(): pass", "must take the parameter raw; .* It takes none."),
        ("def fixture(raw, rows): pass", "must take the parameter raw"),
        ("def fixtures(raw): pass", r"fixture\.py does not define the function fixture\(raw\)"),
        ("fixture = 3", r"fixture\.py does not define the function fixture\(raw\)"),
    ],
)
def test_a_fixture_that_makes_nothing_up_is_told(
    folder: Path, registry: Registry, code: str, said: str
) -> None:
    (folder / "fixture.py").write_text(code + "\n")
    with pytest.raises(ConfigError, match=said):
        prepare(registry.get_competition("mine"), fixture=True)


@pytest.mark.parametrize(
    ("kind", "old", "new", "said"),
    [
        ("image", "choices=SPECIES", 'choices="poppy"', "the choices of column 'species' must be"),
        ("image", ", choices=SPECIES", "", "Column 'species' has no choices"),
        ("text", "One(CLASSES)", 'One(("praise", "x"))', "RowsSumToOne names the column 'x'"),
        ("text", "(RowsSumToOne(CLASSES),)", "(RowsSumToOne,)", "among the rules is no rule"),
        ("ranking", 'COLUMNS = ("user", "item")', 'COLUMNS = "user"', "must be a tuple of names"),
        ("ranking", "most=GUESSES", 'most="5"', "TypeError: 'str' object cannot be"),
        ("table", "\n\ndef score", "\n\nVALIDATION = {}\n\n\ndef score", "VALIDATION in "),
        (
            "table",
            "    return rmse(",
            "    import random\n    return random.random() * rmse(",
            "seed",
        ),
    ],
)
def test_the_selfcheck_tells_mistakes_in_other_kinds(
    tmp_path: Path, kind: str, old: str, new: str, said: str
) -> None:
    folder = create_competition("mine", tmp_path, kind=kind)
    change(folder / "task.py", old, new)
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert any(said in check.detail for check in outcome.checks if not check.passed)


def test_what_a_function_prints_is_not_among_the_results(
    folder: Path, registry: Registry, capsys: pytest.CaptureFixture[str]
) -> None:
    change(folder / "task.py", "    return rmse(", "    print('here')\n    return rmse(")
    assert check_competition("mine", registry).passed
    assert "here" not in capsys.readouterr().out


def test_a_key_that_the_answers_lack_is_named(folder: Path, registry: Registry) -> None:
    change(folder / "task.py", 'key="id"', 'key="idd"')
    failed = [check for check in check_competition("mine", registry).checks if not check.passed]
    assert [check.detail for check in failed] == [
        "The prepared answers of mine lack the column 'idd', which SUBMISSION in task.py names."
    ]


def test_a_result_without_what_the_facts_name_never_takes_the_place_of_data(
    folder: Path, registry: Registry
) -> None:
    prepare(registry.get_competition("mine"), fixture=True)
    before = file_digests(registry.get_competition("mine").data_dir)
    change(folder / "competition.yaml", "public/sample_submission", "public/sample")
    told = "sample_submission: public/sample.csv is missing; prepare wrote private/"
    with pytest.raises(TaskError, match=told):
        prepare(registry.get_competition("mine"), fixture=True, force=True)
    assert file_digests(registry.get_competition("mine").data_dir) == before


def test_a_mistake_in_the_fixture_names_its_line(folder: Path, registry: Registry) -> None:
    path = folder / "fixture.py"
    path.write_text("def fixture(raw):\n    return 1 / 0\n")
    with pytest.raises(TaskError, match=r"ZeroDivisionError.*\(fixture\.py, line 2\)"):
        prepare(registry.get_competition("mine"), fixture=True)


def test_the_selfcheck_names_files_as_the_task_does(folder: Path, registry: Registry) -> None:
    line = change(folder / "task.py", 'raw / "train.csv"', 'raw / "trian.csv"')
    (failed,) = [check for check in check_competition("mine", registry).checks if not check.passed]
    assert "raw/trian.csv" in failed.detail
    assert "/raw/trian.csv" not in failed.detail
    assert f"(task.py, line {line})" in failed.detail


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
    selfcheck = f"`mlebench selfcheck mine --competitions-dir {folder.parent}`"
    assert f"{selfcheck} shows in full" in report.error["message"]
    assert "value" not in report.error["message"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("metric: ", "metrik: ", "line {line}: there is no field 'metrik'; did you mean 'metric'?"),
        (
            "metric: ",
            "gold: 1\nmetric: ",
            "there is no field 'gold'; it belongs below 'leaderboard'.",
        ),
        ("  teams:", "  team:", "line {line}: there is no field 'team'; did you mean 'teams'?"),
        (
            "lower_is_better: true",
            "lower_is_better: often",
            "line {line}: lower_is_better must be true or false, not text.",
        ),
        (
            "lower_is_better: true",
            "lower_is_better:",
            "line {line}: lower_is_better must be true or false, not left empty.",
        ),
        ("gold: 0.5", "gold: high", "line {line}: leaderboard.gold must be a number, not text."),
        ("teams: 100", "teams: 9.5", "line {line}: leaderboard.teams must be a whole number"),
        ('title: "mine"', "title: [a, b]", "line {line}: title must be text, not a list."),
        (
            "category: Tabular",
            "complexity: hard",
            "line {line}: complexity cannot be 'hard'; choose one of low, medium, high, dev, mini, "
            "user.",
        ),
        ("metric: root mean squared error", "", "the required field `metric` is missing."),
        ("  gold: 0.5\n", "", "the required field `gold` is missing in leaderboard."),
        ("id: mine", "id: yours", "line 1: the id 'yours' must equal the folder's name, 'mine'."),
        ("id: mine", '"id": yours', "line 1: the id 'yours' must equal the folder's name, 'mine'."),
        ("id: mine", "<<: {id: yours}", "competition.yaml uses merge keys"),
        (
            "category: Tabular",
            "known_issues:\n- {text: a}\n- {text: [b]}",
            "line 5: known_issues[1].text must be text, not a list.",
        ),
        ("title: ", "title: [", "is not valid YAML: line "),
        (
            "  teams:",
            "\tteams:",
            "line {line}: found character that cannot start any token; indent",
        ),
        ('title: "mine"', "title: Mine: a try", "line {line}: mapping values are not allowed"),
        (
            "category: Tabular",
            "category: Tabular\nid: mine",
            "line 4: the field 'id' is given twice.",
        ),
        ("private/test.csv", "/tmp/test.csv", "answers must be a path below the prepared folder"),
        ("private/test.csv", "../test.csv", "answers must be a path below the prepared folder"),
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
