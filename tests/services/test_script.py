"""The script that rooms have: what it says, and that it sends the file, with curl or without."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlebench.sandbox.layout import VALIDATE_SCRIPT, VALIDATION_URL_VARIABLE
from mlebench.services.script import DEFAULT_URL, validate_script
from tests.services.conftest import Host

TOOLS = ("sh", "cat")


@pytest.fixture(scope="module")
def url(host: Host) -> Iterator[str]:
    door = host.service.open_port("spaceship-titanic", host.calls.append, "127.0.0.1", 0)
    yield f"{door.address}/validate"
    door.close()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / VALIDATE_SCRIPT
    path.write_text(validate_script())
    path.chmod(0o755)
    return path


def run(script: Path, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [script, *words],
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def path_with(folder: Path, *programs: str) -> str:
    """A PATH on which there are these programs only."""
    folder.mkdir()
    for name in programs:
        found = sys.executable if name == "python3" else shutil.which(name)
        if found is None:
            pytest.skip(f"no {name} here")
        (folder / name).symlink_to(found)
    return str(folder)


def test_usage(script: Path) -> None:
    done = run(script)
    assert (done.returncode, done.stdout) == (1, f"Usage: {script} <submission_file>\n")


def test_a_missing_file(script: Path, tmp_path: Path) -> None:
    for missing in ("none.csv", tmp_path):
        done = run(script, missing)
        assert (done.returncode, done.stdout) == (1, f"File {missing} does not exist.\n")


@pytest.mark.parametrize("program", ["curl", "python3"])
@pytest.mark.parametrize("name", ["submission.csv", 'odd; "name",=@ü.csv', "-x.csv"])
def test_the_answer_is_printed(
    script: Path, url: str, host: Host, tmp_path: Path, program: str, name: str
) -> None:
    (tmp_path / "room").mkdir()
    file = tmp_path / "room" / name
    file.write_bytes(host.sample())
    host.calls.clear()
    environment = {
        "PATH": path_with(tmp_path / "bin", *TOOLS, program),
        VALIDATION_URL_VARIABLE: url,
        "http_proxy": "http://127.0.0.1:9",
    }
    done = run(script, file, **environment)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["is_valid"] is True
    file.write_bytes(b"a\n1\n")
    assert json.loads(run(script, file, **environment).stdout)["is_valid"] is False
    assert [call.size for call in host.calls] == [len(host.sample()), 4]


@pytest.mark.parametrize("program", ["curl", "python3"])
def test_nobody_there(script: Path, tmp_path: Path, program: str) -> None:
    script.write_text(validate_script("http://127.0.0.1:9/validate"))
    done = run(script, script, PATH=path_with(tmp_path / "bin", *TOOLS, program))
    assert done.returncode == 1
    assert "127.0.0.1" in done.stderr


def test_neither_curl_nor_python(script: Path, tmp_path: Path) -> None:
    done = run(script, script, PATH=path_with(tmp_path / "bin", *TOOLS))
    assert (done.returncode, done.stdout) == (1, "Neither curl nor python3 is installed.\n")


def test_the_default_is_where_agents_expect_it() -> None:
    assert DEFAULT_URL == "http://localhost:5000/validate"
    assert DEFAULT_URL in validate_script()
    assert "'a b'" in validate_script("a b")
