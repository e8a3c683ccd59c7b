"""What is the same in rooms of every kind: places, doors, limits, ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlebench.errors import SandboxError
from mlebench.sandbox.layout import COLLECTED
from mlebench.sandbox.room import RoomEnd, RoomLimits, Sandbox
from tests.sandbox.rooms import MEGABYTE, PYTHON, SECONDS, Place, running, service


def test_places_are_there_and_results_come_out(sandbox: Sandbox, place: Place) -> None:
    end = place.run(
        sandbox,
        "import os, pathlib, subprocess, helper\n"
        "place = {name: pathlib.Path(value) for name, value in os.environ.items()}\n"
        "assert pathlib.Path.cwd() == place['AGENT_DIR'] == place['HOME']\n"
        "assert helper.VALUE == 42\n"
        "table = (place['DATA_DIR'] / 'train.csv').read_text()\n"
        "assert place['INSTRUCTIONS_FILE'].read_text() == 'Win.\\n'\n"
        "print(subprocess.run([place['VALIDATE_SCRIPT']], capture_output=True).stdout)\n"
        "(place['SUBMISSION_DIR'] / 'submission.csv').write_text(table)\n"
        "(place['LOGS_DIR'] / 'a.log').write_text('log')\n"
        "(place['CODE_DIR'] / 'b.py').write_text('code')\n"
        "pathlib.Path('beside').write_text('agents write beside their program')\n"
        "pathlib.Path(place['TMPDIR'], 'x').write_text('x')\n",
    )
    assert (end.cause, end.exit_code) == ("finished", 0), place.printed
    assert "ok" in place.printed
    assert sorted(path.name for path in place.room.iterdir()) == sorted(COLLECTED)
    assert (place.room / "submission/submission.csv").read_text().startswith("id,label")
    assert (place.room / "logs/a.log").read_text() == "log"
    assert (place.room / "code/b.py").read_text() == "code"
    assert not (place.agent / "beside").exists()


def test_results_appear_while_the_agent_works(sandbox: Sandbox, place: Place) -> None:
    end = place.run_until(
        sandbox,
        "import os, time\nopen(os.environ['SUBMISSION_DIR'] + '/submission.csv', 'w').close()\n"
        f"time.sleep({SECONDS})",
        place.room / "submission/submission.csv",
    )
    assert (end.cause, end.exit_code) == ("stopped", None)


def test_environment_is_clean(
    sandbox: Sandbox, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-host")
    script = "import os, json; print('ENV', json.dumps(dict(os.environ)))"
    end = place.run(sandbox, script, environment={"MODEL": "m", "LANG": "C"})
    assert end.cause == "finished"
    (line,) = [line for line in place.printed.splitlines() if line.startswith("ENV")]
    variables = json.loads(line.removeprefix("ENV "))
    assert (variables["MODEL"], variables["LANG"], variables["USER"]) == ("m", "C", "agent")
    assert "secret-of-the-host" not in place.printed
    assert not {"OPENAI_API_KEY", "PYTHONPATH", "XDG_CACHE_HOME"} & set(variables)


@pytest.mark.parametrize(
    ("script", "cause", "code"),
    [
        ("raise SystemExit(0)", "finished", 0),
        ("raise SystemExit(3)", "agent_error", 3),
        ("import os; os.kill(os.getpid(), 9)", "agent_error", 137),
        ("import os; os.abort()", "agent_error", 134),
    ],
)
def test_exit_codes(sandbox: Sandbox, place: Place, script: str, cause: str, code: int) -> None:
    end = place.run(sandbox, script)
    assert (end.cause, end.exit_code) == (cause, code)


def test_command_that_cannot_be_started_is_the_agents_error(sandbox: Sandbox, place: Place) -> None:
    end = place.run(sandbox, "", command=("no-such-program",))
    assert (end.cause, end.exit_code) == ("agent_error", 127)
    assert "no-such-program cannot be started" in place.printed


ASK = """
import os, urllib.request, concurrent.futures
url = os.environ['MLEBENCH_VALIDATION_URL']
assert urllib.request.urlopen(url + '/health').read() == b'you asked for /health'
body = b'ab' * 1_000_000
assert urllib.request.urlopen(url + '/validate', data=body).read() == body[::-1]
with concurrent.futures.ThreadPoolExecutor(30) as pool:
    answers = list(pool.map(lambda i: urllib.request.urlopen(f'{url}/{i}').read(), range(100)))
assert answers == [b'you asked for /%d' % i for i in range(100)]
"""


def test_doors_lead_to_services_of_the_host(sandbox: Sandbox, place: Place) -> None:
    with service(place.folder / "doors/v.sock") as path:
        end = place.run(sandbox, ASK, doors={5000: path})
    assert end.cause == "finished", place.printed


def test_addresses_in_variables_lead_to_the_doors(sandbox: Sandbox, place: Place) -> None:
    script = (
        "import os, urllib.request\n"
        "print(urllib.request.urlopen(os.environ['BASE_URL'] + '/models').read())\n"
    )
    variables = {"BASE_URL": "http://localhost:8017/v1"}
    with service(place.folder / "doors/m.sock") as path:
        end = place.run(sandbox, script, doors={8017: path}, environment=variables)
    assert end.cause == "finished", place.printed
    assert "you asked for /v1/models" in place.printed


def test_half_closed_connections_get_their_answer(sandbox: Sandbox, place: Place) -> None:
    import socket

    path = place.folder / "doors/h.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(SECONDS)

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                question = b""
                while chunk := connection.recv(100):
                    question += chunk
                connection.sendall(question[::-1])

        thread = threading.Thread(target=answer)
        thread.start()
        script = (
            "import os, socket\n"
            "port = int(os.environ['MLEBENCH_VALIDATION_URL'].rpartition(':')[2])\n"
            "with socket.create_connection(('localhost', port)) as c:\n"
            "    c.sendall(b'question'); c.shutdown(socket.SHUT_WR)\n"
            "    print(c.makefile('rb').read())\n"
        )
        end = place.run(sandbox, script, doors={5000: path})
        thread.join()
    assert end.cause == "finished", place.printed
    assert "noitseuq" in place.printed


def test_nobody_behind_the_door_is_no_hang(sandbox: Sandbox, place: Place) -> None:
    import socket

    path = place.folder / "doors/gone.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    script = (
        "import os, urllib.request\n"
        "try: urllib.request.urlopen(os.environ['MLEBENCH_VALIDATION_URL'] + '/health')\n"
        "except OSError: print('refused')\n"
    )
    end = place.run(sandbox, script, doors={5000: path})
    assert end.cause == "finished"
    assert "refused" in place.printed


@pytest.mark.parametrize(
    ("script", "limits", "cause"),
    [
        ("import time; time.sleep(1000)", {"seconds": 0.5}, "time_limit"),
        (
            "import time\nx = bytearray(200_000_000)\nx[::4096] = b'x' * len(x[::4096])\n"
            "time.sleep(1000)",
            {"memory": 100 * MEGABYTE},
            "out_of_memory",
        ),
        (
            "import os, time\n"
            "for _ in range(4):\n"
            "    if os.fork() == 0: x = b'x' * 50_000_000; time.sleep(1000)\n"
            "time.sleep(1000)",
            {"memory": 150 * MEGABYTE},
            "out_of_memory",
        ),
        (
            "import subprocess, time\nfor _ in range(30): subprocess.Popen(['sleep', '1000'])\n"
            "time.sleep(1000)",
            {"processes": 20},
            "too_many_processes",
        ),
        (
            "import os, time\n"
            "for i in range(20):\n"
            "    open(f\"{os.environ['CODE_DIR']}/{i}\", 'wb').write(b'x' * 1_000_000)\n"
            "time.sleep(1000)",
            {"disk": 10 * MEGABYTE},
            "disk_full",
        ),
        (
            "import os, tempfile, time\nfiles = [tempfile.TemporaryFile() for _ in range(20)]\n"
            "for file in files: file.write(b'x' * 1_000_000); file.flush()\n"
            "time.sleep(1000)",
            {"disk": 10 * MEGABYTE},
            "disk_full",
        ),
        (
            "import mmap, os, time\n"
            "try: write = open(os.memfd_create('x'), 'wb', 0).write\n"
            "except OSError: write = mmap.mmap(-1, 200_000_000).write\n"  # refused by a filter
            "for _ in range(200): write(b'x' * 1_000_000)\n"
            "time.sleep(1000)",
            {"memory": 100 * MEGABYTE},
            "out_of_memory",
        ),
    ],
    ids=["time", "memory", "memory-of-all", "processes", "disk", "deleted-files", "memory-files"],
)
def test_limits(
    sandbox: Sandbox, place: Place, script: str, limits: dict[str, Any], cause: str
) -> None:
    end = place.run(sandbox, script, limits=replace(RoomLimits(seconds=SECONDS), **limits))
    assert (end.cause, end.exit_code) == (cause, None), (end, place.printed)
    assert end.seconds < SECONDS


def test_shared_memory_is_counted_once(sandbox: Sandbox, place: Place) -> None:
    script = (
        "import os, time\nx = b'x' * 60_000_000\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0: time.sleep(1.5); os._exit(0)\n"
        "time.sleep(1.5)\n"
    )
    limits = RoomLimits(seconds=SECONDS, memory=150 * MEGABYTE)
    assert place.run(sandbox, script, limits=limits).cause == "finished"


def test_stop_set_beforehand(sandbox: Sandbox, place: Place) -> None:
    stop = threading.Event()
    stop.set()
    end = sandbox.run(place.plan("import time; time.sleep(1000)"), stop)
    assert end.cause == "stopped"


def test_what_is_printed_is_kept_up_to_a_limit(sandbox: Sandbox, place: Place) -> None:
    script = "import sys\nfor _ in range(10000): print('line' * 10)\nprint('err', file=sys.stderr)"
    limits = RoomLimits(seconds=SECONDS, printed=10_000)
    assert place.run(sandbox, script, limits=limits).cause == "finished"
    kept, _, note = place.printed.rpartition("\n[")
    assert len(kept.encode()) == 10_000
    assert "more bytes were printed and dropped" in note


DAEMON = """
import os, subprocess, sys
code = 'import os,time\\nif os.fork(): os._exit(0)\\nos.setsid()\\nif os.fork(): os._exit(0)\\n'
code += 'time.sleep(1000)'
subprocess.run([sys.executable, '-c', code, {marker!r}])
"""


def test_daemonised_child_is_gone(sandbox: Sandbox, place: Place) -> None:
    marker = uuid.uuid4().hex
    end = place.run(sandbox, DAEMON.format(marker=marker) + "print('left a daemon')")
    assert end.cause == "finished"
    assert "left a daemon" in place.printed
    assert running(marker) == []


HOST = """
import sys
from pathlib import Path
from typing import Any
from tests.sandbox.rooms import Place
from mlebench.sandbox.choosing import make_sandbox
place = Place(Path(sys.argv[1]))
place.run(make_sandbox(sys.argv[2]), sys.argv[3])
"""


def test_killed_host_leaves_no_process(sandbox: Sandbox, place: Place, tmp_path: Path) -> None:
    if sandbox.kind == "container":
        pytest.skip("an engine keeps its containers; test_container.py clears them up")
    marker = uuid.uuid4().hex
    script = DAEMON.format(marker=marker) + (
        "import time\nopen(os.environ['LOGS_DIR'] + '/started', 'w').close()\n"
        f"subprocess.run([sys.executable, '-c', 'import time; time.sleep(1000)', '{marker}'])"
    )
    folder = tmp_path / "other"
    checkout = Path(__file__).parents[2]
    path = os.pathsep.join([str(checkout), *filter(None, sys.path)])
    host = subprocess.Popen(
        [PYTHON, "-c", HOST, str(folder), sandbox.kind, script],
        env={**os.environ, "PYTHONPATH": path},
        cwd=checkout,
    )
    deadline = time.monotonic() + SECONDS
    while len(running(marker)) < 3 or not (folder / "room/logs/started").exists():
        assert time.monotonic() < deadline, "the agent did not start"
        assert host.poll() is None
        time.sleep(0.05)
    host.kill()
    host.wait()
    while running(marker):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.05)


def test_what_is_left_of_a_room_is_found_by_its_name(sandbox: Sandbox, place: Place) -> None:
    script = (
        "import os, time\nopen(os.environ['LOGS_DIR'] + '/started', 'w').close()\ntime.sleep(1000)"
    )
    plan = replace(place.plan(script), name=uuid.uuid4().hex)
    ends: list[RoomEnd] = []
    thread = threading.Thread(target=lambda: ends.append(sandbox.run(plan, threading.Event())))
    thread.start()
    deadline = time.monotonic() + SECONDS
    while not (place.room / "logs/started").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    sandbox.clear_up(["another"])
    assert thread.is_alive()
    sandbox.clear_up([plan.name])
    thread.join(SECONDS)
    assert [end.cause for end in ends] == ["infrastructure"]


def test_nobody_else_finds_keys_or_puts_a_submission_there(sandbox: Sandbox, place: Place) -> None:
    script = (
        "import os, time\nassert os.environ['KEY'] == 'sk-' + 'secret'\n"
        "open(os.environ['LOGS_DIR'] + '/started', 'w').close()\ntime.sleep(1000)"
    )
    stop = threading.Event()
    plan = replace(place.plan(script), environment={"KEY": "sk-secret"})
    place.room.chmod(0o755)
    thread = threading.Thread(target=sandbox.run, args=(plan, stop))
    thread.start()
    deadline = time.monotonic() + SECONDS
    try:
        while not (place.room / "logs/started").exists():
            assert thread.is_alive()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert place.room.stat().st_mode & 0o7777 == 0o700
        if sandbox.kind != "container":  # it reads later, and by the eyes of another user
            files = [path for path in place.room.rglob("*") if path.is_file()]
            assert not [path for path in files if b"sk-secret" in path.read_bytes()]
    finally:
        stop.set()
        thread.join(SECONDS)


def test_links_of_an_agent_are_not_followed(sandbox: Sandbox, place: Place) -> None:
    secret = place.folder / "secret"
    secret.write_text("top secret")
    (place.agent / "inside").symlink_to("helper.py")
    (place.agent / "outside").symlink_to(secret)
    os.mkfifo(place.agent / "pipe")
    script = (
        "import os\nprint(os.path.exists('pipe'), os.path.islink('outside'))\n"
        "print(open('inside').read())"
    )
    assert place.run(sandbox, script).cause == "finished"
    assert "False True\nVALUE = 42" in place.printed


def test_rights_of_the_host_are_refused(sandbox: Sandbox, place: Place) -> None:
    with pytest.raises(SandboxError, match="all rights"):
        place.run(sandbox, "", privileged=True)


def test_deeply_nested_folders_are_removed(sandbox: Sandbox, place: Place) -> None:
    script = (
        "import os\nfor _ in range(3000):\n    os.mkdir('d'); os.chdir('d')\n"
        "os.chdir(os.environ['TMPDIR'])\nos.mkdir('closed'); os.mkdir('closed/x')\n"
        "os.chmod('closed', 0)"
    )
    assert place.run(sandbox, script).cause == "finished", place.printed
    assert sorted(path.name for path in place.room.iterdir()) == sorted(COLLECTED)
