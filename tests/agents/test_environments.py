"""The Python of an agent: bare, with its requirements, or ours."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import signal
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlebench.agents.catalog import find_agent
from mlebench.agents.definition import Agent
from mlebench.agents.environments import BUILT, python_for
from mlebench.errors import ConfigError
from mlebench.sandbox.room import PythonHome
from tests.agents.folders import own_agent


def make_wheel(folder: Path, version: str = "1.0") -> Path:
    """A package with one module, as pip installs it."""
    info = f"greeting-{version}.dist-info"
    files = {
        "greeting.py": f"def main():\n    print('hello from {version}')\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: greeting\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": "[console_scripts]\ngreet = greeting:main\n",
    }
    sums = {name: hashlib.sha256(text.encode()).digest() for name, text in files.items()}
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(value).rstrip(b'=').decode()},\n"
        for name, value in sums.items()
    )
    folder.mkdir(exist_ok=True)
    wheel = folder / f"greeting-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in (*files.items(), (f"{info}/RECORD", f"{record}{info}/RECORD,,\n")):
            archive.writestr(name, text)
    return wheel


@pytest.fixture
def no_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels, the only place where pip looks."""
    wheels = tmp_path / "wheels"
    make_wheel(wheels)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return wheels


def requiring(parent: Path, name: str, requirements: str) -> Agent:
    folder = own_agent(parent, name, "requirements: needs.txt")
    (folder / "needs.txt").write_text(requirements, encoding="utf-8")
    return find_agent(name, [parent])


def said(home: PythonHome, *words: str, name: str = "python") -> str:
    command = [str(home.executables / name), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_an_agent_without_requirements_has_the_standard_library_only(tmp_path: Path) -> None:
    home = python_for(find_agent("dummy"), tmp_path)
    look = "import importlib.util as u, json; print(u.find_spec('msgspec'), u.find_spec('pip'))"
    assert said(home, "-c", look) == "None None"
    assert said(home, "--version", name="python3") == f"Python {sys.version.split()[0]}"
    assert any(home.executables.is_relative_to(folder) for folder in home.folders)


def test_all_that_a_python_is_made_of_is_in_its_folders(tmp_path: Path) -> None:
    home = python_for(find_agent("dummy"), tmp_path)
    paths = said(
        home, "-I", "-c", "import sys, os; print(*sys.path, os.path.realpath(sys.executable))"
    )
    existing = [Path(path) for path in paths.split() if Path(path).exists()]
    assert existing
    assert all(any(path.is_relative_to(top) for top in home.folders) for path in existing)


def test_host_is_the_environment_that_we_run_in(tmp_path: Path) -> None:
    agent = dataclasses.replace(find_agent("dummy"), requirements="host")
    home = python_for(agent, tmp_path)
    assert home.executables == Path(sys.prefix) / "bin"
    assert {Path(sys.prefix)} <= {*home.folders, *(path.parent for path in home.folders)}
    assert not any(tmp_path.iterdir())


def test_requirements_are_installed_once_for_all_who_have_them(
    tmp_path: Path, no_index: Path
) -> None:
    lines: list[str] = []
    agent = requiring(tmp_path, "mine", "greeting==1.0\n")
    home = python_for(agent, tmp_path / "cache", lines.append)
    assert said(home, name="greet") == "hello from 1.0"
    assert any("Successfully installed greeting-1.0" in line for line in lines)
    lines.clear()
    other = requiring(tmp_path, "other", "greeting==1.0\n")
    assert python_for(other, tmp_path / "cache", lines.append) == home
    assert lines == []
    # Killed before its end, it is built again.
    place = home.executables.parent
    (place / BUILT).unlink()
    (place / "bin" / "greet").unlink()
    assert python_for(agent, tmp_path / "cache", lines.append) == home
    assert said(home, name="greet") == "hello from 1.0"
    assert lines
    assert [path.name for path in place.parent.iterdir()] == [place.name]


KILLED = """
import os, signal, sys
from pathlib import Path
from mlebench.agents.catalog import find_agent
from mlebench.agents.environments import python_for

def die(line):
    if line.startswith("Installing needs.txt"):
        os.kill(os.getpid(), signal.SIGKILL)

python_for(find_agent("mine", [sys.argv[1]]), Path(sys.argv[2]), die)
"""


def test_whoever_comes_after_a_kill_or_at_the_same_time_gets_all_of_it(
    tmp_path: Path, no_index: Path
) -> None:
    agent, cache = requiring(tmp_path, "mine", "greeting==1.0\n"), tmp_path / "cache"
    killed = [sys.executable, "-c", KILLED, str(tmp_path), str(cache)]
    assert subprocess.run(killed, check=False).returncode == -signal.SIGKILL
    (half, _lock) = sorted((cache / "pythons").iterdir())
    assert not (half / BUILT).exists()
    lines: list[str] = []
    with ThreadPoolExecutor(2) as threads:
        homes = [*threads.map(lambda _: python_for(agent, cache, lines.append), range(2))]
    assert homes[0] == homes[1]
    assert said(homes[0], name="greet") == "hello from 1.0"
    assert len([line for line in lines if "Successfully installed" in line]) == 1


def test_what_pip_refuses_is_told_in_a_paragraph(tmp_path: Path, no_index: Path) -> None:
    agent = requiring(tmp_path, "mine", "greeting==2.0\n")
    with pytest.raises(ConfigError) as error:
        python_for(agent, tmp_path / "cache")
    message = str(error.value)
    assert message.startswith(f"{agent.folder / 'needs.txt'} cannot be installed: ")
    assert "No matching distribution found for greeting==2.0" in message
    assert "\n" not in message
    (log,) = (tmp_path / "cache" / "pythons").iterdir()
    assert str(log) in message
    assert "greeting==2.0" in log.read_text()


def test_what_a_list_names_decides_about_its_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []
    monkeypatch.setattr(
        "mlebench.agents.environments._build",
        lambda place, *_: (place.mkdir(), (place / BUILT).touch(), made.append(place)),
    )
    agent = requiring(tmp_path, "mine", "-r more.txt  # see / and ..\n./wheels/x.whl\n")

    def place() -> Path:
        return python_for(agent, tmp_path / "cache").executables

    (agent.folder / "wheels").mkdir()
    first = place()
    (agent.folder / "agent.py").write_text("not named")
    assert place() == first
    (agent.folder / "more.txt").write_text("-r deeper.txt\n")
    second = place()
    (agent.folder / "deeper.txt").write_text("-r more.txt\ngreeting\n")
    third = place()
    (agent.folder / "wheels" / "x.whl").write_text("one")
    assert len({first, second, third, place()}) == len(made) == 4
