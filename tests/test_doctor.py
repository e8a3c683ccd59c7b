"""What `mlebench doctor` finds out about libraries, folders and competitions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mlebench import doctor
from mlebench.cli.screen import Screen
from mlebench.cli.tables import Column, table_lines
from mlebench.data.outlook import look_ahead
from mlebench.data.prepare import prepare
from mlebench.extras import UNLOCKED, how_to_install
from mlebench.registry import Registry
from tests.command import run as command
from tests.conftest import CHECKOUT
from tests.helpers import add_competition, add_unwritten
from tests.kaggle_server import TOKEN, serve_kaggle
from tests.rights import as_ordinary_user

OLD_ABI = """
raise ImportError("numpy.core.multiarray failed to import: compiled against another numpy")
"""


def run(stubs: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a Python that finds these packages first."""
    paths = [str(stubs), *sys.path]
    return subprocess.run(
        [sys.executable, "-m", "mlebench", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


@pytest.fixture
def broken_arrow(tmp_path: Path) -> Path:
    """An installed pyarrow that cannot be loaded, as one made for another numpy."""
    (tmp_path / "pyarrow").mkdir()
    (tmp_path / "pyarrow" / "__init__.py").write_text(OLD_ABI)
    return tmp_path


def test_doctor_finds_libraries_that_do_not_fit_together(broken_arrow: Path) -> None:
    outcome = run(broken_arrow, "doctor")
    assert outcome.returncode != 0
    assert "Traceback" not in outcome.stderr
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("pyarrow"))
    assert "failed" in line
    assert "compiled against another numpy" in line
    assert "pip install --upgrade pyarrow numpy" in line


def test_doctor_is_content_with_what_works(tmp_path: Path) -> None:
    outcome = run(tmp_path, "doctor")
    lines = [line.split() for line in outcome.stdout.splitlines()]
    results = {line[0]: line[1] for line in lines if len(line) > 1}
    names = ("numpy", "pandas", "pyarrow", "scipy", "shapely", "pillow")
    assert {results[name] for name in names} == {"ok"}


def test_doctor_looks_at_libraries_and_not_at_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('mine')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(doctor, "PROBES", {"numpy": doctor.PROBES["numpy"]})
    findings = {finding.what: finding.result for finding in doctor.diagnose(Registry(tmp_path))}
    assert findings["numpy"] == "ok"


def test_doctor_finds_that_data_cannot_go_into_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(doctor, "PROBES", {})
    for place in ("file", "file/below"):
        registry = Registry(tmp_path / place)
        findings = {finding.what: finding for finding in doctor.diagnose(registry)}
        assert findings["data folder"].result == "failed"
        assert "is no folder" in findings["data folder"].detail


def test_doctor_counts_broken_competitions_and_names_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBES", {})
    for number in range(1, 6):
        folder = add_competition(tmp_path / "own", f"broken-{number}")
        (folder / "competition.yaml" if number % 2 else folder / "task.py").write_text("id: [")
    add_unwritten(tmp_path / "own", "planned")
    registry = Registry(tmp_path / "data", [tmp_path / "own"])
    found = {finding.what: finding for finding in doctor.diagnose(registry)}["competitions"]
    assert found.result == "failed"
    assert found.detail.startswith("5 of 94 cannot be used. broken-1: ")
    assert "broken-3: " in found.detail
    assert "broken-4" not in found.detail
    assert found.detail.endswith("And 2 more.")


def test_a_library_that_crashes_does_not_take_the_doctor_along(tmp_path: Path) -> None:
    (tmp_path / "shapely").mkdir()
    (tmp_path / "shapely" / "__init__.py").write_text("import os\nos.abort()\n")
    outcome = run(tmp_path, "doctor")
    line = next(line for line in outcome.stdout.splitlines() if line.startswith("shapely"))
    assert "failed" in line


def test_commands_end_without_a_traceback_where_a_library_is_broken(
    broken_arrow: Path, tmp_path: Path
) -> None:
    data = str(tmp_path / "data")
    whole = tmp_path / "nothing-in-the-way"
    whole.mkdir()
    made = run(whole, "prepare", "-c", "spaceship-titanic", "--fixture", "--data-dir", data)
    assert made.returncode == 0, made.stderr
    sample = f"{data}/spaceship-titanic/prepared/public/sample_submission.csv"
    outcome = run(broken_arrow, "validate", sample, "spaceship-titanic", "--data-dir", data)
    assert outcome.returncode == 1
    assert "mlebench doctor" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_oldest_libraries_are_those_that_the_project_allows() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    parts = ("tests", "agents", "containers", "kaggle", "services")
    wanted = [*project["dependencies"], *(one for name in parts for one in extras[name])]
    bounds = {
        found[1].lower(): tuple(int(part) for part in found[2].split("."))
        for requirement in wanted
        if (found := re.match(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement))
    }
    lines = (CHECKOUT / "tests" / "oldest.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    assert set(pinned) == set(bounds)
    for name, pin in pinned.items():
        parts = tuple(int(part) for part in pin.split("."))
        assert parts[: len(bounds[name])] == bounds[name], name
        assert not any(parts[len(bounds[name]) :]), name


class TestOutlooks:
    """For competitions that are named, whether they can be prepared."""

    @staticmethod
    def findings(registry: Registry, *names: str) -> dict[str, doctor.Finding]:
        outlooks = look_ahead(dict.fromkeys(names), registry)
        findings = [*doctor.diagnose(registry, outlooks), *doctor.outlook_findings(outlooks)]
        return {finding.what: finding for finding in findings}

    def test_each_for_itself(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("httpx")
        for name in ("open-one", "closed-one", "done"):
            add_competition(tmp_path / "competitions", name)
        registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
        done = registry.get_competition("done")
        assert done.task
        done.task.fixture(done.raw_dir)
        prepare(done)
        with serve_kaggle() as kaggle:
            kaggle.unaccepted = {"closed-one"}
            monkeypatch.setenv("MLEBENCH_KAGGLE_API", kaggle.api)
            monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
            monkeypatch.setattr(doctor, "PROBES", {})
            names = ["open-one", "closed-one", "done", "nonsense"]
            found = self.findings(registry, *names)
        assert [found[name].result for name in names] == ["ok", "missing", "ok", "missing"]
        assert found["kaggle login"].detail == "from KAGGLE_API_TOKEN; Kaggle takes it"
        assert "can be prepared (Kaggle, rules accepted" in found["open-one"].detail
        assert "competitions/closed-one/rules" in found["closed-one"].detail
        assert found["done"].detail == "prepared"
        assert "nonsense" in found["nonsense"].detail

    def test_what_is_not_from_kaggle_lacks_no_login(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        add_competition(tmp_path / "competitions", "mine")
        monkeypatch.setattr(doctor, "PROBES", {})
        folders = f"--competitions-dir {tmp_path}/competitions --data-dir {tmp_path}/data"
        result = command(f"mlebench doctor mine --json {folders}", monkeypatch, capfd)
        (mine,) = [one for one in json.loads(result.stdout) if one["what"] == "mine"]
        assert "Kaggle" not in mine["detail"]
        assert "mlebench prepare -c mine --fixture" in mine["detail"]

    def test_without_a_login(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(doctor, "PROBES", {})
        registry, name = Registry(tmp_path / "data"), "spaceship-titanic"
        found = self.findings(registry, name)
        assert (found["kaggle login"].result, found[name].result) == ("missing", "missing")
        assert "--from" in found[name].detail

    @pytest.mark.parametrize(
        ("name", "result", "told"),
        [
            ("done", "ok", "not tried"),
            ("unknown-to-kaggle", "ok", "Kaggle takes it"),
            ("one", "missing", "Kaggle did not answer"),
        ],
    )
    def test_a_login_is_judged_by_what_was_asked(
        self, name: str, result: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pytest.importorskip("httpx")
        add_competition(tmp_path / "competitions", name)
        registry = Registry(tmp_path / "data", [tmp_path / "competitions"])
        if name == "done":
            done = registry.get_competition(name)
            assert done.task
            done.task.fixture(done.raw_dir)
            prepare(done)
        monkeypatch.setattr(doctor, "PROBES", {})
        monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
        with serve_kaggle() as kaggle:
            kaggle.missing = {"unknown-to-kaggle"}
            api = "http://127.0.0.1:9/api/v1" if name == "one" else kaggle.api
            monkeypatch.setenv("MLEBENCH_KAGGLE_API", api)
            found = self.findings(registry, name)["kaggle login"]
        assert (found.result, found.detail) == (result, f"from KAGGLE_API_TOKEN; {told}")


def test_the_details_fit_a_narrow_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROBES", {})
    monkeypatch.setattr(doctor, "missing_libraries", lambda extra: [extra])
    found = [one for one in doctor.diagnose(Registry(tmp_path)) if one.what.startswith("extra")]
    columns = Column("what"), Column("result"), Column("detail", wraps=True)
    rows = [[one.what, one.result, one.detail] for one in found]
    assert max(map(len, table_lines(columns, rows, Screen(60)))) <= 60


def test_competitions_beside_those_of_the_original_count_where_they_are_prepared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBES", {})
    registry = Registry(tmp_path)
    prepare(registry.get_competition("mini-co2"))
    found = {finding.what: finding for finding in doctor.diagnose(registry)}["competitions"]
    assert found.detail == "88 known, 88 ready, 1 prepared"


def data_folder(path: Path) -> doctor.Finding:
    found = doctor.diagnose(Registry(path, []))
    return next(finding for finding in found if finding.what == "data folder")


def test_it_is_told_what_more_would_unlock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "missing_libraries", lambda extra: [extra])
    for name in doctor.MODEL_KEYS:
        monkeypatch.delenv(name, raising=False)
    told = {finding.what: finding for finding in doctor.diagnose(Registry(tmp_path, ()))}
    for extra, unlocked in UNLOCKED.items():
        assert told[f"extra: {extra}"].result == "missing"
        assert told[f"extra: {extra}"].detail == f"would unlock {unlocked}: {how_to_install(extra)}"
    assert told["language models"].result == "missing"
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    told = {finding.what: finding for finding in doctor.diagnose(Registry(tmp_path, ()))}
    assert told["language models"].result == "ok"
    assert "secret" not in told["language models"].detail


def test_a_data_folder_that_nobody_can_write_to_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root has every right there, and none of them helps."""
    monkeypatch.setattr(doctor, "PROBES", {})
    found = data_folder(Path("/proc/data"))
    assert found.result == "failed"
    assert "/proc/data cannot be written" in found.detail


LOOK = """
import sys
from pathlib import Path

from mlebench import doctor
from mlebench.data.outlook import look_ahead
from mlebench.registry import Registry

doctor.PROBES = {}
registry = Registry(Path(sys.argv[1]), [])
outlooks = look_ahead({"spaceship-titanic": None}, registry)
for finding in [*doctor.diagnose(registry, outlooks), *doctor.outlook_findings(outlooks)]:
    print(finding.what, finding.result, finding.detail)
"""


def test_a_data_folder_in_one_that_nobody_may_enter_is_one_row_that_fails(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    data = closed / "data"
    data.mkdir(parents=True)
    closed.chmod(0o000)
    try:
        command = as_ordinary_user(sys.executable, "-c", LOOK, str(data))
        outcome = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    finally:
        closed.chmod(0o755)
    lines = [line for line in outcome.stdout.splitlines() if str(closed) in line]
    assert [line.split(str(closed))[0] for line in lines] == [
        "data folder failed ",
        "spaceship-titanic missing ",
    ], outcome.stderr
    assert "Permission denied" in lines[0]


def test_a_data_folder_on_a_full_disk_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PROBES", {})
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr(doctor.tempfile, "TemporaryFile", lambda **_: full)
        found = data_folder(tmp_path)
    assert found.result == "failed"
    assert "No space left" in found.detail


def test_a_container_engine_that_does_not_answer_makes_no_rooms(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nobody.sock")
    found = {finding.what: finding for finding in doctor.diagnose(Registry(tmp_path))}
    assert found["room: container"].result == "missing"
    assert "does not answer" in found["room: container"].detail
