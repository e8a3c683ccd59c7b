"""The dummy looks at its room and submits the sample."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from mlebench.agents.catalog import find_agent
from mlebench.sandbox.layout import VALIDATION_URL_VARIABLE, places

SUBMITTED = "sample submission is submitted"


class Validation(BaseHTTPRequestHandler):
    """Finds every submission valid."""

    def do_GET(self) -> None:
        self._answer({"status": "running"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer({"result": "Submission is valid."})

    def _answer(self, answer: dict[str, str]) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def validation_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Validation) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class Room:
    """A room without walls."""

    def __init__(self, home: Path, validation_url: str) -> None:
        self.home = home
        for name in ("prepared/public", "submission", "logs", "code", "agent"):
            (home / name).mkdir(parents=True)
        self.data = home / "prepared" / "public"
        (self.data / "description.md").write_text("# A task")
        (home / "instructions.txt").write_text("Solve it.")
        url = f"{validation_url}/validate"
        script = f'printf x | curl -s -X POST --data-binary @- "{url}"\n'
        (home / "validate_submission.sh").write_text(script)
        self.environment = {
            **places(home),
            "DATA_DIR": str(self.data),
            "PATH": os.environ["PATH"],
            VALIDATION_URL_VARIABLE: validation_url,
        }

    def run(self) -> tuple[int, dict[str, bool], str]:
        """The dummy's exit code, its findings and what it printed."""
        dummy = find_agent("dummy")
        ended = subprocess.run(
            dummy.command({}),
            cwd=dummy.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert ended.stderr == ""
        summary = json.loads((self.home / "logs" / "dummy.json").read_text())
        findings = {found["check"]: found["ok"] for found in summary["findings"]}
        assert summary["submitted"] == findings[SUBMITTED] == (ended.returncode == 0)
        return ended.returncode, findings, ended.stdout


@pytest.fixture
def room(tmp_path: Path, validation_url: str) -> Room:
    return Room(tmp_path / "room", validation_url)


def test_the_dummy_submits_the_sample_and_says_what_it_found(room: Room) -> None:
    (room.data / "sample_submission.csv").write_text("id,y\n1,0\n")
    code, findings, printed = room.run()
    assert code == 0
    assert (room.home / "submission" / "submission.csv").read_text() == "id,y\n1,0\n"
    assert (room.home / "code" / "dummy.py").is_file()
    lines = printed.splitlines()
    assert len(lines) == len(findings)
    assert all(line.startswith(("ok     ", "failed ")) for line in lines)
    assert 'ok     submission is valid: {"result": "Submission is valid."}' in lines
    for name in ("submission", "logs", "code", "agent"):
        assert findings[f"{name} folder can be written"]
    assert findings["instructions are there"]
    assert findings["validation answers"]
    assert findings["private data are out of reach"]
    assert findings["runs without root's rights"] == (os.geteuid() != 0)
    assert not findings["data are read-only"]  # there are no walls


def test_readable_answers_are_noticed(room: Room) -> None:
    private = room.home / "prepared" / "private"
    private.mkdir()
    (private / "test.csv").write_text("id,y\n")
    _, findings, printed = room.run()
    assert not findings["private data are out of reach"]
    assert f"{private / 'test.csv'} can be read" in printed


@pytest.mark.parametrize(
    "name", ["sampleSubmission.csv", "deep/en_Sample_Submission_2.CSV", "a sample submission.csv"]
)
def test_samples_of_any_spelling_are_found(name: str, room: Room) -> None:
    (room.data / name).parent.mkdir(exist_ok=True)
    (room.data / name).write_text("found")
    assert room.run()[0] == 0
    assert (room.home / "submission" / "submission.csv").read_text() == "found"


@pytest.mark.parametrize(
    ("archive", "inside"),
    [("sample_submission.csv.zip", "any.csv"), ("all.zip", "below/sampleSubmission.csv")],
)
def test_samples_in_zips_are_unpacked(archive: str, inside: str, room: Room) -> None:
    with zipfile.ZipFile(room.data / archive, "w") as packed:
        packed.writestr("readme.txt", "no")
        packed.writestr(inside, "found")
    assert room.run()[0] == 0
    assert (room.home / "submission" / "submission.csv").read_text() == "found"


def test_without_a_sample_it_fails_and_says_so(room: Room) -> None:
    (room.data / "broken.zip").write_text("no zip")
    (room.data / "sample_submission.7z").write_text("cannot be unpacked")
    code, findings, printed = room.run()
    assert code == 1
    assert not findings["submission is valid"]
    assert f"failed {SUBMITTED}: there is no csv file called *sample*submission*" in printed


def test_a_room_without_services_and_instructions_is_told(room: Room) -> None:
    (room.data / "sample_submission.csv").write_text("id,y\n1,0\n")
    (room.home / "instructions.txt").unlink()
    (room.home / "validate_submission.sh").unlink()
    room.environment[VALIDATION_URL_VARIABLE] = "http://127.0.0.1:1"
    code, findings, _ = room.run()
    assert code == 0
    for name in ("instructions are there", "validation answers", "submission is valid"):
        assert not findings[name]


def test_old_pythons_can_read_it() -> None:
    source = (find_agent("dummy").folder / "dummy.py").read_text(encoding="utf-8")
    tree = ast.parse(source, feature_version=(3, 8))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= sys.stdlib_module_names
