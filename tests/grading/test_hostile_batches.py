"""A bad line costs its own line only: hostile graders, files, lines and folders in one batch.

Real processes do real harm here. Between the hostile lines stand good ones, whose scores must
be right, and when all is over nothing of it may be left: no process, no folder.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mlebench.data.locks import exclusive
from mlebench.data.prepare import prepare
from mlebench.grading.batch import BatchLimits, grade_jsonl
from mlebench.registry import Registry
from mlebench.writing import written_whole
from tests.grading.hostile import FOLDERS, GRADERS, TASKS
from tests.grading.original import SCORE, add_original
from tests.helpers import add_competition
from tests.leftovers import watched

pytestmark = pytest.mark.slow

# What must be stopped is stopped soon; all else has time, however slow the machine.
PATIENT = BatchLimits(seconds=120, memory=2 * 10**9, submission_bytes=10**6, file_bytes=10**8)
IMPATIENT = replace(PATIENT, seconds=3)
BUILT_IN, CUT_OFF, EMPTIED, HALF_A_MANIFEST, CHANGED = (
    "spaceship-titanic",
    "random-acts-of-pizza",
    "us-patent-phrase-to-phrase-matching",
    "petfinder-pawpularity-score",
    "aptos2019-blindness-detection",
)


TRAPS = ("pyarrow", "numpy", "pandas", "json", "mlebench")
ODD_FOLDERS = ("a-pipe-among-its-files", "endless-source")


class Case(NamedTuple):
    """A line of the batch, and what its report must say."""

    name: str
    line: bytes
    status: str
    says: str = ""


def line(competition_id: Any, path: Any) -> bytes:
    return json.dumps({"competition_id": competition_id, "submission_path": path}).encode()


def hostile_lines(good: Path) -> list[Case]:
    deep = b"[" * 100_000
    return [
        Case("no json", b"neither this nor that", "bad_line", "not JSON"),
        Case("deep json", deep, "bad_line", "not JSON"),
        Case("a deep id", b'{"competition_id": ' + deep, "bad_line"),
        Case("an unfinished line", line("plain", str(good))[:-5], "bad_line"),
        Case("other bytes", b"\xff\xfe\x00", "bad_line"),
        Case("a number", b"7", "bad_line", "object"),
        Case("no path", b'{"competition_id": "plain"}', "bad_line"),
        Case("a path that is a list", line("plain", [1]), "bad_line"),
        Case("an id that is null", line(None, str(good)), "bad_line"),
        Case("an id that is markup", line("[bold red]x[/]", str(good)), "unknown_competition"),
        Case("an id that is a path", line("../plain", str(good)), "unknown_competition"),
        Case("a long id", line("x" * 100_000, str(good)), "unknown_competition"),
        Case("an id with a surrogate", line("\ud800", str(good)), "unknown_competition"),
        Case("a name too long", line("plain", "/tmp/" + "x" * 300 + ".csv"), "no_submission"),
        Case("a path too long", line("plain", "/tmp" + "/x" * 10_000 + ".csv"), "no_submission"),
        Case("a path with a NUL", line("plain", "a\0b.csv"), "no_submission"),
        Case("a path with a surrogate", line("plain", "\ud800.csv"), "no_submission"),
        Case("an empty path", line("plain", ""), "no_submission"),
        Case("below a file", line("plain", f"{good}/x.csv"), "no_submission"),
    ]


def hostile_files(folder: Path, good: Path, private: Path) -> list[Case]:
    def place(name: str, content: bytes | None = None) -> Path:
        path = folder / f"{name}.csv"
        if content is not None:
            path.write_bytes(content)
        return path

    os.mkfifo(place("pipe"))
    place("folder").mkdir()
    place("loop").symlink_to(place("loop"))
    place("endless").symlink_to("/dev/zero")
    place("link").symlink_to(private)
    os.link(private, place("hard-link"))
    elsewhere = private.parents[3] / "plain" / "prepared" / "private" / "answers.csv"
    os.link(elsewhere, place("hard-link-elsewhere"))
    linked = folder / "linked"
    linked.symlink_to(private.parent)
    for name, size in (("sparse", 10**12), ("holes", 500_000), ("long", 10**6 + 1)):
        with place(name, b"id,label\n").open("r+b") as file:
            file.truncate(size)
    good_text = good.read_bytes()
    cases = [
        ("a pipe", place("pipe"), "no_submission", ""),
        ("a folder", place("folder"), "no_submission", ""),
        ("a link to itself", place("loop"), "no_submission", ""),
        ("an endless device", place("endless"), "no_submission", ""),
        ("a link to the answers", place("link"), "invalid_submission", "private"),
        ("another name of the answers", place("hard-link"), "invalid_submission", "private"),
        (
            "another name of others' answers",
            place("hard-link-elsewhere"),
            "invalid_submission",
            "private",
        ),
        ("a linked folder", linked / private.name, "invalid_submission", "private"),
        ("a terabyte of nothing", place("sparse"), "invalid_submission", "bytes"),
        ("half a megabyte of nothing", place("holes"), "invalid_submission", "NUL"),
        ("a little too long", place("long"), "invalid_submission", "bytes"),
        ("an empty file", place("empty", b""), "invalid_submission", ""),
        ("binary", place("binary", bytes(range(256)) * 50), "invalid_submission", ""),
        (
            "in UTF-16",
            place("utf16", good_text.decode().encode("utf-16")),
            "invalid_submission",
            "",
        ),
        ("U+2028 in its name", place("one\u2028two", good_text), "graded", ""),
        ("a line feed in its name", place("one\ntwo", good_text), "graded", ""),
    ]
    return [Case(name, line("own-plain", str(path)), *rest) for name, path, *rest in cases]


def hostile_registry(work: Path) -> Registry:
    """Competitions of every temper, with data prepared and then damaged."""
    competitions, data = work / "competitions", work / "data"
    add_original(competitions, data, "plain")
    for name, hostile in GRADERS.items():
        add_original(competitions, data, name, hostile.code)
    for name, (files, _, _) in FOLDERS.items():
        add_original(competitions, data, name, **files)
    registry = Registry(data, [competitions])
    for name in ("own-plain", *TASKS):
        folder = add_competition(competitions, name)
        prepare(registry.get_competition(name), fixture=True)
        if name in TASKS:
            with (folder / "task.py").open("a") as task:
                task.write("\n\n" + TASKS[name].code)
    os.mkfifo(add_original_folder(competitions, data, "a-pipe-among-its-files") / "helper.py")
    (add_original_folder(competitions, data, "endless-source") / "data.py").symlink_to("/dev/zero")
    for name in (BUILT_IN, CUT_OFF, EMPTIED, HALF_A_MANIFEST, CHANGED):
        prepare(registry.get_competition(name), fixture=True)
    cut, emptied = (registry.get_competition(name).answers for name in (CUT_OFF, EMPTIED))
    cut.write_bytes(cut.read_bytes()[:-20])
    emptied.write_bytes(b"")
    changed = registry.get_competition(CHANGED).answers
    changed.write_bytes(changed.read_bytes().replace(b"\n", b"\nx", 3)[:-3])
    manifest = registry.get_competition(HALF_A_MANIFEST).prepared_dir / "prepared.json"
    manifest.write_bytes(manifest.read_bytes()[:40])
    return registry


def add_original_folder(competitions: Path, data: Path, name: str) -> Path:
    add_original(competitions, data, name)
    return competitions / name


def all_cases(registry: Registry, folder: Path) -> list[Case]:
    def sample(competition_id: str) -> str:
        prepared = registry.get_data_dir() / competition_id / "prepared"
        return str(next((prepared / "public").glob("sample*ubmission.csv")))

    good = Path(sample("own-plain"))
    private = registry.get_competition("own-plain").answers
    graders = [
        Case(name, line(name, sample(name)), hostile.status, hostile.says)
        for name, hostile in GRADERS.items()
    ]
    tasks = [
        Case(name, line(name, str(good)), hostile.status, hostile.says)
        for name, hostile in TASKS.items()
    ]
    folders = [
        Case(name, line(name, sample(name)), status, says)
        for name, (_, status, says) in FOLDERS.items()
    ]
    data = [
        Case("answers cut off", line(CUT_OFF, sample(CUT_OFF)), "damaged_answers", "cut off"),
        Case("answers changed", line(CHANGED, sample(CHANGED)), "damaged_answers", "changed"),
        *(Case(name, line(name, sample(name)), "graded") for name in ODD_FOLDERS),
        Case("answers emptied", line(EMPTIED, sample(EMPTIED)), "damaged_answers"),
        Case(
            "half a manifest",
            line(HALF_A_MANIFEST, sample(HALF_A_MANIFEST)),
            "not_prepared",
            "damaged",
        ),
    ]
    again = [case._replace(name=f"{case.name}, again") for case in graders if "leaves" in case.name]
    return [
        *graders,
        *again,
        *tasks,
        *folders,
        *data,
        *hostile_lines(good),
        *hostile_files(folder, good, private),
    ]


class Outcome(NamedTuple):
    """What all tests below look at."""

    expected: dict[str, list[str]]
    reports: dict[str, dict[str, Any]]
    good: dict[str, list[dict[str, Any]]]
    seconds: float
    left_processes: list[str]
    left_folders: list[str]
    working_directory: list[str]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What became of them; run once, also if several processes share the tests."""
    base = tmp_path_factory.getbasetemp()
    place = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    kept = place / "hostile-outcome.json"
    with exclusive(place / "hostile.lock", timeout=600):
        if not kept.exists():
            found = run_batches(tmp_path_factory.mktemp("hostile"))
            with written_whole(kept) as partial:
                partial.write_text(json.dumps(found))
    return Outcome(*json.loads(kept.read_text()))


def run_batches(work: Path) -> Outcome:
    registry = hostile_registry(work)
    files, trap, places = (work / name for name in ("files", "trap", "places"))
    for folder in (files, trap, places):
        folder.mkdir()
    cases = all_cases(registry, files)
    for module in TRAPS:
        (trap / f"{module}.py").write_text("raise SystemExit('a file of the working directory')\n")
    good_lines = {
        name: line(name, str(registry.get_competition(name).sample_submission))
        for name in ("plain", "own-plain", BUILT_IN)
    }
    hanging = [case for case in cases if case.status == "timeout"]
    others = [case for case in cases if case.status != "timeout"]
    pairs: list[tuple[str, dict[str, Any]]] = []
    with pytest.MonkeyPatch.context() as patch, watched(places) as watch:
        patch.chdir(trap)
        patch.setenv("KAGGLE_KEY", "secret")
        patch.setattr(tempfile, "tempdir", str(places))
        started = time.monotonic()
        for part, limits in ((hanging, IMPATIENT), (others, PATIENT)):
            named = list(among_good_ones(part, good_lines))
            submissions = work / "submissions.jsonl"
            submissions.write_bytes(b"\xef\xbb\xbf" + b"\n".join(text for _, text in named))
            path = grade_jsonl(submissions, work / "out", registry, workers=3, limits=limits)
            reports = json.loads(path.read_text())["competition_reports"]
            pairs += [(name, report) for (name, _), report in zip(named, reports, strict=True)]
        seconds = time.monotonic() - started
    return Outcome(
        expected={case.name: [case.status, case.says] for case in cases},
        reports={name: report for name, report in pairs if name not in good_lines},
        good={good: [report for name, report in pairs if name == good] for good in good_lines},
        seconds=seconds,
        left_processes=[str(process) for process in watch.left()],
        left_folders=[str(path) for path in places.iterdir()],
        working_directory=sorted(path.name for path in trap.iterdir()),
    )


def among_good_ones(cases: list[Case], good_lines: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Hostile lines by name, with a good one before every fourth."""
    good = cycle(good_lines.items())
    for position, case in enumerate(cases):
        if position % 4 == 0:
            yield next(good)
        yield case.name, case.line


NAMES = [
    *GRADERS,
    *(f"{name}, again" for name in GRADERS if "leaves" in name),
    *TASKS,
    *FOLDERS,
    "answers cut off",
    "answers emptied",
    "answers changed",
    *ODD_FOLDERS,
    "half a manifest",
    *(case.name for case in hostile_lines(Path("x.csv"))),
    "a pipe",
    "a folder",
    "a link to itself",
    "an endless device",
    "a link to the answers",
    "another name of the answers",
    "another name of others' answers",
    "a linked folder",
    "a terabyte of nothing",
    "half a megabyte of nothing",
    "a little too long",
    "an empty file",
    "binary",
    "in UTF-16",
    "U+2028 in its name",
    "a line feed in its name",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_line_gets_the_status_it_deserves(name: str, outcome: Outcome) -> None:
    status, says = outcome.expected[name]
    report = outcome.reports[name]
    assert report["status"] == status, report["error"]
    if says:
        assert says in report["error"]["message"]
    if report["error"]:
        assert len(report["error"]["message"]) < 3000
    if status == "graded" and name.partition(",")[0] in (*GRADERS, *TASKS):
        assert report["score"] == 0.25


def test_every_case_is_looked_at(outcome: Outcome) -> None:
    assert sorted(NAMES) == sorted(outcome.expected)
    assert len(NAMES) >= 60


def test_good_lines_between_them_keep_their_scores(outcome: Outcome) -> None:
    for name, reports in outcome.good.items():
        assert len(reports) >= 10
        scores = {report["score"] for report in reports}
        assert len(scores) == 1
        assert {report["status"] for report in reports} == {"graded"}
        if name == "plain":
            assert scores == {SCORE}


def test_nothing_is_left(outcome: Outcome) -> None:
    assert outcome.left_processes == []
    assert outcome.left_folders == []
    assert outcome.working_directory == sorted(f"{module}.py" for module in TRAPS)


def test_no_more_time_is_taken_than_the_limits_allow(outcome: Outcome) -> None:
    hanging = sum(status == "timeout" for status, _ in outcome.expected.values())
    assert outcome.seconds < hanging * IMPATIENT.seconds + 300
