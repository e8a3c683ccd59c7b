"""The reference pages name everything there is, and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
import typer

from mlebench import errors
from mlebench.cli.app import RESUMED, build_app
from mlebench.grading.codes import all_explanations
from mlebench.grading.report import GRADED_STATUSES, CompetitionReport
from mlebench.grading.results import reports_frame
from mlebench.grading.single import grade_csv
from mlebench.grading.statuses import ERROR_OF_STATUS
from mlebench.grading.summary import aggregate_reports
from mlebench.sandbox.layout import VALIDATION_URL_VARIABLE, places
from mlebench.sandbox.room import Cause
from mlebench.settings import PACKAGE_DIR
from tests.command import run
from tests.conftest import CHECKOUT, Prepared
from tests.docs.pages import blocks, commands
from tests.docs.test_examples import PAGES

CLI = CHECKOUT / "docs" / "cli.md"
GRADING = CHECKOUT / "docs" / "grading.md"
RUNS = CHECKOUT / "docs" / "runs.md"
AGENTS = CHECKOUT / "docs" / "agents.md"


def section(page: Path, title: str) -> str:
    """What stands below a heading, up to the next one of its level."""
    text = page.read_text(encoding="utf-8")
    found = re.search(
        rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |\Z)", text, re.MULTILINE | re.DOTALL
    )
    assert found, f"{page.name} has no heading {title!r}"
    return found[2]


def table(text: str, heading: str) -> list[list[str]]:
    """The cells of a table that begins with this heading."""
    rows = text.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@pytest.fixture(scope="module")
def report(prepared: Prepared) -> CompetitionReport:
    competition = prepared("spaceship-titanic")
    return grade_csv(competition.sample_submission, competition)


def test_every_field_of_a_report_is_explained_in_its_order(report: CompetitionReport) -> None:
    originals, _, ours = section(GRADING, "Reports").partition("Further ones are ours:")
    named = [
        [name for row in table(part, "field") for name in quoted(row[0])]
        for part in (originals, ours)
    ]
    assert named[0] + named[1] == list(report.to_dict())
    assert len(named[0]) == 16


def test_every_total_is_named() -> None:
    named = set(quoted(section(GRADING, "Reports")))
    assert named >= aggregate_reports([]).keys()


def test_columns_of_the_frame_are_as_described(report: CompetitionReport, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report.to_dict() | {"extra": {"seed": 1, "score": 2}}))
    beyond = ["error_code", "error_message", "report_file", "seed", "extra_score"]
    kept = [name for name in report.to_dict() if name not in ("error", "extra")]
    assert list(reports_frame(path).columns) == kept + beyond


def test_every_status_and_code_is_listed() -> None:
    statuses = table(section(GRADING, "Whose fault it is"), "status")
    named = {name for row in statuses for cell in row for name in quoted(cell)}
    assert named == GRADED_STATUSES | ERROR_OF_STATUS.keys()
    codes = {
        name for row in table(section(GRADING, "What is valid"), "code") for name in quoted(row[0])
    }
    causes = {name for row in table(section(RUNS, "Rooms"), "cause") for name in quoted(row[0])}
    assert causes == {*get_args(Cause), "no_submission"}
    assert codes - {"no_submission"} == all_explanations().keys() - named - causes
    assert named | causes <= all_explanations().keys()


EXIT_CODES = {
    int(code): meaning
    for code, meaning in table(section(CLI, "What all commands share"), "exit code")
}
# What the table says of each error; tests/cli/test_exit_codes.py tries commands.
WORDS_OF_ERROR: dict[type[Exception], str] = {
    errors.ConfigError: "wrong config",
    errors.UnknownCompetitionError: "unknown",
    errors.TaskNotWrittenError: "not written yet",
    errors.TaskError: "whose functions fail",
    errors.DataSourceError: "data are missing",
    errors.MissingRawFileError: "data are missing",
    errors.ChecksumMismatchError: "differ from the published ones",
    errors.KaggleAuthError: "Kaggle refuses",
    errors.RulesNotAcceptedError: "Kaggle refuses",
    errors.UnavailableError: "a server does not answer",
    errors.NoLeaderboardError: "data are missing",
    errors.NotPreparedError: "not prepared",
    errors.DamagedAnswersError: "damaged",
    errors.UnfittingAnswersError: "damaged",
    errors.BusyError: "in use by another process",
    errors.UnwritableFolderError: "a folder cannot be written",
    errors.UnreadableFileError: "a file cannot be read",
    errors.CannotStartError: "no process can be started",
    errors.InvalidSubmissionError: "the submission is invalid",
    errors.GraderError: "a grader failed",
    errors.DamagedStateError: "wrong config",
    errors.SandboxError: "no room can be made",
    errors.AgentFailedError: "an agent ended with an error",
    errors.LedgerError: "the record of a run group was changed",
    ImportError: "a library cannot be loaded",
    MemoryError: "too little memory",
    OSError: "a disk is full",
}


def test_help_is_to_be_had_with_the_import_that_the_vocabulary_shows() -> None:
    text = (CHECKOUT / "docs" / "vocabulary.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    exec(text.partition("```python\n")[2].partition("```")[0], names)
    asked = re.findall(r"`help\(([\w.]+)\)`", text)
    assert asked
    assert all(eval(name, names).__doc__ for name in asked)


def test_every_exit_code_is_in_the_table() -> None:
    kinds = [errors.MlebenchError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert list(EXIT_CODES) == sorted({0, 130, *(kind.exit_code for kind in kinds)})
    never_leave_with = {
        errors.MlebenchError, errors.ProcessLostError, errors.CallRefusedError,
    }  # fmt: skip
    assert {kind for kind in kinds if kind.__module__ == errors.__name__} == {
        *never_leave_with,
        *(kind for kind in WORDS_OF_ERROR if issubclass(kind, errors.MlebenchError)),
    }


@pytest.mark.parametrize("kind", WORDS_OF_ERROR, ids=lambda kind: kind.__name__)
def test_a_command_leaves_with_the_code_whose_meaning_is_its_error(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise kind("this is why")

    monkeypatch.setattr("mlebench.registry.catalog.Catalog._folders", fail)
    left = run("mlebench competitions", monkeypatch, capfd)
    assert WORDS_OF_ERROR[kind] in EXIT_CODES[left.code]
    assert "Traceback" not in left.stderr


def test_commands_that_go_on_after_an_interrupt_are_named() -> None:
    assert quoted(EXIT_CODES[130]) == list(RESUMED)


def test_every_environment_variable_is_in_the_table() -> None:
    shown = section(CLI, "Environment variables")
    listed = {name for row in table(shown, "environment variable") for name in quoted(row[0])}
    others = r"\b(?:NO_COLOR|GRADING_SERVER_PORT)\b"
    named = re.compile(rf"\b(?:MLE_?BENCH|KAGGLE)_[A-Z_]*[A-Z]\b|{others}")
    sources = (path.read_text(encoding="utf-8") for path in PACKAGE_DIR.rglob("*.py"))
    used = {name for source in sources for name in named.findall(source)}
    between_our_own_processes = {"MLEBENCH_PROCESS_TREE", "MLEBENCH_ROOM"}
    in_rooms = {VALIDATION_URL_VARIABLE}  # docs/agents.md has those
    assert listed == used - between_our_own_processes - in_rooms


def test_every_variable_of_a_room_is_in_the_table_of_agents() -> None:
    rows = table(section(AGENTS, "What an agent finds in its room"), "variable")
    usual = {quoted(row[0])[0]: quoted(row[1])[0] for row in rows}
    assert (
        usual.items() >= {name: place for name, place in places().items() if name != "HOME"}.items()
    )
    given_by_runs = {
        *("COMPETITION_ID", "SEED", "OBFUSCATE", "PYTHONUNBUFFERED"),
        *("TIME_LIMIT_SECS", "MEMORY_LIMIT_BYTES", "CPU_LIMIT"),
    }
    assert set(usual) - set(places()) == {VALIDATION_URL_VARIABLE, *given_by_runs}


def _walk(command: object, names: tuple[str, ...] = ()) -> list[tuple[str, list[str]]]:
    """All commands with their options, each by its longest name."""
    children = getattr(command, "commands", {})
    if children:
        return [entry for name in children for entry in _walk(children[name], (*names, name))]
    options = [
        max(parameter.opts, key=len)
        for parameter in command.params  # type: ignore[attr-defined]
        if parameter.param_type_name == "option" and parameter.name != "help"
    ]
    return [(" ".join(names), options)]


OPTIONS_OF = dict(_walk(typer.main.get_command(build_app())))
SHARED = {
    *("--json", "--wide", "--data-dir", "--competitions-dir", "--agents-dir", "--edition"),
    *("--runs-dir", "--executor", "--address"),
}
EXAMPLES = [
    command.line
    for page in PAGES
    for block in blocks(page)
    if block.kind == "console"
    for command in commands(block)
]


@pytest.mark.parametrize("command", OPTIONS_OF)
def test_the_section_of_a_command_names_and_shows_its_options(command: str) -> None:
    own = section(CLI, f"`{command.split(maxsplit=1)[0]}`")
    examples = [
        line.split() for line in EXAMPLES if re.search(rf"mlebench {command}(?![\w-])", line)
    ]
    assert examples
    for option in set(OPTIONS_OF[command]) - SHARED:
        assert re.search(rf"{option}(?![\w-])", own), f"{option} is not explained"
        assert any(option in words for words in examples), f"{option} is in no example"


def test_options_of_all_commands_are_in_an_example() -> None:
    shown = {word for line in EXAMPLES for word in line.split()}
    assert shown >= SHARED | {"--quiet", "-v", "--version"}


def test_where_shared_options_are() -> None:
    rows = {quoted(row[0])[0]: row[2] for row in table(CLI.read_text(encoding="utf-8"), "option")}
    assert rows.keys() == SHARED
    for option, where in rows.items():
        named = set(quoted(where))
        if where.startswith("all but"):
            named = OPTIONS_OF.keys() - named
        assert named == {command for command, options in OPTIONS_OF.items() if option in options}


def test_every_command_is_in_the_overview() -> None:
    overview = table(CLI.read_text(encoding="utf-8"), "command")
    assert [quoted(row[0])[0] for row in overview] == list(
        dict.fromkeys(command.split()[0] for command in OPTIONS_OF)
    )
