"""What only rooms with walls have: permissions of places, an own user, a Python given to it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from mlebench.errors import ConfigError, SandboxError
from mlebench.sandbox import bwrap
from mlebench.sandbox.bwrap import BwrapSandbox
from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.graphics import graphics_devices
from mlebench.sandbox.processors import some_processors
from mlebench.sandbox.room import PythonHome, RoomLimits
from tests.sandbox.rooms import SECONDS, Place, needs_bwrap, service

LOOK = """
import getpass, json, os, socket, time
print('FOUND', json.dumps({
    'ids': [os.getuid(), os.getgid(), getpass.getuser(), socket.gethostname()],
    'writable': [n for n in sorted(os.listdir('/home')) if os.access('/home/' + n, os.W_OK)],
    'runnable': [n for n in sorted(os.listdir('/home'))
                 if os.path.isfile('/home/' + n) and os.access('/home/' + n, os.X_OK)],
    'links': [n for n in ('bin', 'sbin', 'lib', 'lib64') if os.path.islink('/' + n)],
    'lookup': socket.gethostbyname('localhost'),
    'zone': time.tzname[0],
    'tmp': [os.listdir('/tmp'), oct(os.stat('/tmp').st_mode & 0o7777)],
    'root': sorted(os.listdir('/')),
}))
"""


def found(place: Place) -> dict[str, object]:
    (line,) = [line for line in place.printed.splitlines() if line.startswith("FOUND ")]
    result: dict[str, object] = json.loads(line.removeprefix("FOUND "))
    return result


@needs_bwrap
def test_layout(place: Place) -> None:
    assert place.run(BwrapSandbox(), LOOK).cause == "finished", place.printed
    seen = found(place)
    assert seen["ids"] == [1000, 1000, "agent", "room"]
    assert seen["writable"] == ["agent", "code", "logs", "submission"]
    assert seen["runnable"] == ["validate_submission.sh"]
    names = ("bin", "sbin", "lib", "lib64")
    assert seen["links"] == [name for name in names if Path("/", name).is_symlink()]
    assert (seen["lookup"], seen["zone"], seen["tmp"]) == ("127.0.0.1", "UTC", [[], "0o1777"])
    usual = {"bin", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "proc", "run", "sbin"}
    assert set(seen["root"]) <= usual | {"sys", "tmp", "usr", "var"}  # type: ignore[call-overload]


@needs_bwrap
def test_given_python_is_the_first(place: Place) -> None:
    folders = {Path(sys.prefix), Path(sys.base_prefix)}
    home = PythonHome(Path(sys.executable).parent, tuple(folders))
    script = (
        "import os, sys, numpy\nprint(sys.prefix, numpy.arange(3).sum())\n"
        "for folder in sys.argv[1:]:\n"
        "    try: open(folder + '/planted', 'w'); print('ACHIEVED')\n"
        "    except OSError: pass\n"
    )
    command = ("python", "agent.py", *map(str, folders))
    end = place.run(BwrapSandbox(), script, python=home, command=command)
    assert end.cause == "finished", place.printed
    assert f"{sys.prefix} 3" in place.printed
    assert "ACHIEVED" not in place.printed


@needs_bwrap
def test_python_that_shows_other_runs_is_refused(place: Place) -> None:
    home = PythonHome(Path(sys.executable).parent, (Path(sys.prefix), place.folder))
    with pytest.raises(SandboxError, match="every room can read"):
        place.run(BwrapSandbox(), "", python=home)


@needs_bwrap
def test_room_that_cannot_be_made_is_told(place: Place) -> None:
    with pytest.raises(SandboxError, match=r"gone\.sock"):
        place.run(BwrapSandbox(), "", doors={5000: place.folder / "gone.sock"})


@needs_bwrap
def test_processors_are_chosen(place: Place) -> None:
    before = os.sched_getaffinity(0)
    script = (
        "import os\n"
        "try: os.sched_setaffinity(0, range(1000))\n"
        "except PermissionError: print('REFUSED')\n"
        "print('FOUND', len(os.sched_getaffinity(0)))"
    )
    limits = RoomLimits(seconds=SECONDS, cpus=1)
    assert place.run(BwrapSandbox(), script, limits=limits).cause == "finished"
    assert "FOUND 1\n" in place.printed
    assert len(before) == 1 or "REFUSED" in place.printed
    assert os.sched_getaffinity(0) == before


def test_rooms_beside_each_other_get_different_processors() -> None:
    with some_processors(1) as first, some_processors(1) as second, some_processors(None) as third:
        assert third is None
        assert first is None or first != second


def test_graphics_cards(tmp_path: Path) -> None:
    assert graphics_devices(0, tmp_path) == []
    with pytest.raises(SandboxError, match="this machine has 0"):
        graphics_devices(-1, tmp_path)
    for name in ("nvidia0", "nvidia10", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (tmp_path / name).touch()
    names = [path.name for path in graphics_devices(2, tmp_path)]
    assert names == ["nvidia0", "nvidia2", "nvidiactl", "nvidia-uvm"]
    assert len(graphics_devices(-1, tmp_path)) == 5


@needs_bwrap
def test_default_has_walls() -> None:
    assert make_sandbox(None).kind == make_sandbox("bwrap").kind == "bwrap"
    assert make_sandbox("process").kind == "process"


def test_rooms_without_walls_are_nobodys_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "PROGRAM", "no-such-bwrap")
    with pytest.raises(SandboxError, match=r"(?s)apt install bubblewrap.*process"):
        make_sandbox(None)
    with pytest.raises(ConfigError, match="choose from bwrap, container, process"):
        make_sandbox("cave")


def test_bubblewrap_that_cannot_is_unusable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(program))
    reason = BwrapSandbox().why_unusable()
    assert reason is not None
    assert "No permissions to create new namespace" in reason
    assert "user namespaces" in reason


@needs_bwrap
@pytest.mark.parametrize("version", ["3.8", "3.9", "3.10", "3.12", "3.13"])
def test_door_runs_with_other_pythons(place: Place, version: str) -> None:
    program = _python(version)
    if program is None:
        pytest.skip(f"there is no Python {version} here")
    home = PythonHome(program.parent, (program.parents[1],))
    script = "import sys, urllib.request as r\nprint(r.urlopen('http://localhost:5000/x').read())\n"
    with service(place.folder / "doors/v.sock") as path:
        end = place.run(BwrapSandbox(), script, doors={5000: path}, python=home)
    assert end.cause == "finished", place.printed
    assert "you asked for /x" in place.printed


def _python(version: str) -> Path | None:
    """A Python of this version, on the path or beside the one that runs this."""
    beside = Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python3")
    on_path = shutil.which(f"python{version}")
    return next(beside, Path(on_path).resolve() if on_path else None)
