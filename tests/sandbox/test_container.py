"""What only containers have: images, an engine, rights, leftovers of killed runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlebench.errors import ConfigError, SandboxError
from mlebench.sandbox import container_engine, container_options
from mlebench.sandbox.container import ContainerSandbox
from mlebench.sandbox.container_engine import connected
from mlebench.sandbox.container_folders import made_folders
from mlebench.sandbox.container_handover import hand_over
from mlebench.sandbox.container_options import container_name
from mlebench.sandbox.images import build_image, has_image
from mlebench.sandbox.layout import COLLECTED
from mlebench.sandbox.room import RoomLimits
from tests.sandbox.image import IMAGE, ImageRooms, Podman
from tests.sandbox.rooms import SECONDS, Place

ORIGINAL_CONFIG = """
{"mem_limit": null, "shm_size": "4G", "nano_cpus": 4e9, "runtime": "sysbox-runc", "gpus": 0}
"""
STAY = f"import time; open('/home/logs/started', 'w').close(); time.sleep({SECONDS})"


def left(podman: Podman) -> list[str]:
    return podman.call("ps", "--all", "--format={{.Names}}").split()


def test_agent_is_a_user_without_powers(containers: ImageRooms, place: Place) -> None:
    script = (
        "import os\nprint('USER', os.getuid(), os.getgid(), os.getgroups())\n"
        "print(open('/proc/self/status').read())"
    )
    assert containers.run(place.plan(script), threading.Event()).cause == "finished"
    assert "USER 4321 4321 []" in place.printed
    for line in ("CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1"):
        assert line in place.printed


def test_rights_of_the_folders_are_given_back(containers: ImageRooms, place: Place) -> None:
    script = "import os; [print(oct(os.stat('/home/' + n).st_mode)) for n in ('code', 'agent')]"
    assert place.run(containers, script).cause == "finished"
    assert place.printed.split() == ["0o40777", "0o40777"]
    assert {(place.room / name).stat().st_mode & 0o777 for name in COLLECTED} == {0o755}


def test_only_one_network_interface(containers: ImageRooms, place: Place) -> None:
    script = "import socket; print(socket.if_nameindex()); print(open('/proc/net/route').read())"
    assert place.run(containers, script).cause == "finished"
    assert "eth" not in place.printed
    assert len(place.printed.strip().splitlines()) == 2  # the head of an empty table


def test_nothing_is_left_in_the_engine(
    containers: ImageRooms, place: Place, podman: Podman
) -> None:
    place.run(containers, "")
    assert left(podman) == []


def test_retained_containers_are_stopped_only(place: Place, podman: Podman) -> None:
    rooms = ImageRooms(podman.url, retain=True)
    end = place.run_until(rooms, STAY, place.room / "logs/started")
    assert end.cause == "stopped"
    name = container_name(place.plan("").name)
    assert left(podman) == [name]
    assert podman.call("inspect", "--format={{.State.Running}}", name).strip() == "false"
    rooms.clear_up([place.plan("").name])
    assert left(podman) == []


LONG = STAY.replace(f"({SECONDS})", "(3600)")


HOST = """
import sys
from pathlib import Path
from tests.sandbox.image import ImageRooms
from tests.sandbox.rooms import Place
Place(Path(sys.argv[1])).run(ImageRooms(sys.argv[2]), sys.argv[3], name=sys.argv[4])
"""


def killed_host(folder: Path, url: str, script: str, name: str) -> None:
    """Have another process of ours let an agent work, and kill it as soon as that has started."""
    checkout = Path(__file__).parents[2]
    path = os.pathsep.join([str(checkout), *filter(None, sys.path)])
    host = subprocess.Popen(
        [sys.executable, "-c", HOST, str(folder), url, script, name],
        env={**os.environ, "PYTHONPATH": path},
        cwd=checkout,
    )
    deadline = time.monotonic() + SECONDS
    while not (folder / "room/logs/started").exists():
        assert time.monotonic() < deadline
        assert host.poll() is None
        time.sleep(0.05)
    host.send_signal(signal.SIGKILL)
    host.wait()


def test_leftovers_of_a_killed_run_are_cleared_up(tmp_path: Path, podman: Podman) -> None:
    folder, name = tmp_path / "other", f"group/run {os.getpid()}"
    killed_host(folder, podman.url, LONG, name)
    assert left(podman) == [container_name(name)]
    deadline = time.monotonic() + SECONDS
    running = ["inspect", "--format={{.State.Running}}", container_name(name)]
    while podman.call(*running).strip() != "false":  # nobody ends it but itself
        assert time.monotonic() < deadline, "it goes on without a host"
        time.sleep(0.2)
    rooms = ContainerSandbox(podman.url)
    rooms.clear_up(["another"])
    assert left(podman) == [container_name(name)]
    rooms.clear_up([name])
    assert left(podman) == []
    assert sorted(entry.name for entry in (folder / "room").iterdir()) == sorted(COLLECTED)


@pytest.mark.parametrize("name", [".", "below", "below/train.csv"])
def test_data_for_their_owner_alone_are_refused(
    containers: ImageRooms, place: Place, name: str
) -> None:
    (place.data / "below").mkdir()
    (place.data / "below/train.csv").write_text("id\n1\n")
    closed = place.data / name
    closed.chmod(0o700 if closed.is_dir() else 0o600)
    with pytest.raises(SandboxError, match=rf"chmod -R o\+rX {place.data}$"):
        place.run(containers, "")
    subprocess.run(["chmod", "-R", "o+rX", str(place.data)], check=True)
    assert place.run(containers, "").cause == "finished"


def test_missing_image_names_the_command_that_makes_it(place: Place, podman: Podman) -> None:
    plan = replace(place.plan(""), image="localhost/none:latest")
    hint = "localhost/none:latest; `mlebench agents build NAME --image`"
    with pytest.raises(SandboxError, match=hint):
        ContainerSandbox(podman.url).run(plan, threading.Event())
    with pytest.raises(SandboxError, match="no image"):
        ContainerSandbox(podman.url).run(place.plan(""), threading.Event())


@pytest.mark.parametrize("value", [None, "", "no", "yes please"])
def test_all_rights_only_if_somebody_accepts(
    containers: ImageRooms, place: Place, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv(container_options.PRIVILEGED_VARIABLE, value)
    with pytest.raises(SandboxError, match=container_options.PRIVILEGED_VARIABLE):
        place.run(containers, "", privileged=True)


@pytest.mark.parametrize("value", ["true", "1", "T"])
def test_accepted_rights_are_asked_for(
    place: Place, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(container_options.PRIVILEGED_VARIABLE, value)
    options = container_options.container_options(place.plan("", privileged=True))
    assert options["privileged"] is True
    assert "cap_drop" not in options
    assert options["network_mode"] == "none"


def test_container_configuration_of_the_original(
    containers: ImageRooms, place: Place, caplog: pytest.LogCaptureFixture
) -> None:
    config = json.loads(ORIGINAL_CONFIG)
    script = "import os; s = os.statvfs('/dev/shm'); print('SHM', s.f_blocks * s.f_frsize)"
    end = place.run(containers, script, container=config)
    assert end.cause == "finished", place.printed
    assert f"SHM {4 * 2**30}" in place.printed
    assert "ignores the runtime sysbox-runc" in caplog.text  # as Podman does
    options = container_options.container_options(place.plan("", container=config))
    assert (options["nano_cpus"], options["runtime"]) == (4_000_000_000, "sysbox-runc")
    assert "device_requests" not in options
    assert "mem_limit" not in options


def test_graphics_cards_and_limits_of_the_configuration_win(place: Place) -> None:
    limits = RoomLimits(memory=10**9, cpus=2, gpus=1, processes=50)
    options = container_options.container_options(
        place.plan("", limits=limits, container={"mem_limit": "2g", "gpus": -1, "read_only": True})
    )
    (request,) = options["device_requests"]
    assert (request["Count"], request["Capabilities"]) == (-1, [["gpu"]])
    assert (options["mem_limit"], options["memswap_limit"]) == ("2g", "2g")
    assert (options["nano_cpus"], options["pids_limit"]) == (2_000_000_000, 400)
    assert options["read_only"] is True


@pytest.mark.parametrize("key", ["network_mode", "privileged", "user", "pid_mode"])
def test_what_makes_a_room_is_nobodys_wish(place: Place, key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        container_options.container_options(place.plan("", container={key: "host"}))


def test_names_of_containers_are_different_and_allowed() -> None:
    names = {container_name(run) for run in ("a/b", "a-b", "a b", "ä" * 300)}
    assert len(names) == 4
    assert all(name.isascii() and len(name) < 100 and "/" not in name for name in names)


def test_image_without_the_user_and_with_its_own_agent(
    containers: ImageRooms, place: Place, podman: Podman
) -> None:
    (place.agent / "passwd").write_text("root:x:0:0:root:/root:/bin/bash\n")
    (place.agent / "agent.py").write_text(
        "import os\nprint('USER', os.getuid(), open('/home/agent/placed').read())\n"
        "open('/home/agent/made', 'w').write('beside')\nprint(os.environ['FROM_IMAGE'])\n"
    )
    (place.agent / "placed").write_text("by the image")
    (place.agent / "Dockerfile").write_text(
        f"FROM {IMAGE}\nARG SUBMISSION_DIR\nARG LOGS_DIR\nARG CODE_DIR\nARG AGENT_DIR\nARG MORE\n"
        "ENV FROM_IMAGE=${SUBMISSION_DIR}:${LOGS_DIR}:${CODE_DIR}:${MORE}\n"
        "COPY passwd /etc/passwd\nCOPY . ${AGENT_DIR}\n"
    )
    tag, lines = "localhost/own-agent:latest", list[str]()
    assert not has_image(tag, podman.url)
    build_image(place.agent, tag, {"MORE": "more"}, say=lines.append, engine=podman.url)
    assert has_image(tag, podman.url)
    assert any("COPY passwd" in line for line in lines)
    script = (place.agent / "agent.py").read_text()
    (place.agent / "placed").write_text("by the host")
    end = place.run(containers, script, image=tag)
    assert end.cause == "finished", place.printed
    assert "USER 1000 by the image" in place.printed
    assert "/home/submission:/home/logs:/home/code:more" in place.printed


def test_image_that_cannot_be_built(place: Place, podman: Podman) -> None:
    with pytest.raises(SandboxError, match="no Dockerfile"):
        build_image(place.agent, "localhost/x", engine=podman.url)
    (place.agent / "Dockerfile").write_text(f"FROM {IMAGE}\nCOPY nothing-of-this-name /\n")
    with pytest.raises(SandboxError, match=r"cannot be built.*nothing-of-this-name"):
        build_image(place.agent, "localhost/x", engine=podman.url)


def test_image_without_python_is_not_the_agents_fault(place: Place, podman: Podman) -> None:
    (place.agent / "Dockerfile").write_text(f"FROM {IMAGE}\nENV PATH=/nowhere\n")
    build_image(place.agent, "localhost/pathless:latest", engine=podman.url)
    with pytest.raises(SandboxError, match="has no Python"):
        place.run(ContainerSandbox(podman.url), "", image="localhost/pathless:latest")
    assert left(podman) == []


def test_what_an_agent_wrote_is_handed_over(place: Place, podman: Podman) -> None:
    plan = place.plan("", image=IMAGE)
    with connected(podman.url) as client, made_folders(plan, {}) as folders:
        inside = plan.folder / "code" / "deep"
        inside.mkdir()
        (inside / "file").write_text("x")
        (inside / "link").symlink_to("/etc/passwd")
        for path in (inside, inside / "file", inside / "link"):
            os.chown(path, 4321, 4321, follow_symlinks=False)
        inside.chmod(0)
        hand_over(client, folders)
        assert {path.lstat().st_uid for path in (inside, *inside.iterdir())} == {0}
        assert inside.stat().st_mode & 0o777 == 0o755
    assert Path("/etc/passwd").stat().st_uid == 0


NAMESPACE = """
if os.fork() == 0:
    try: call('unshare', 0x10000000 | 0x20000)
    except OSError as error: print('refused', error)
    else:
        attempt('writable', call, 'mount', None, b'/home/data', None, 32 | 4096, None)
        attempt('unmount', call, 'umount2', b'/home/data', 2)
        attempt('write', lambda: open('/home/data/new', 'w'))
        attempt('device', os.mknod, '/tmp/disk', stat.S_IFBLK | 0o600, os.makedev(254, 0))
        attempt('become root', os.setuid, 0)
    sys.stdout.flush(); os._exit(0)
os.wait()
"""


def test_root_of_an_own_world_gains_nothing(containers: ImageRooms, place: Place) -> None:
    from tests.sandbox.attacks import Attack

    end = place.run(containers, Attack(NAMESPACE).program)
    assert end.cause == "finished", place.printed
    assert "ACHIEVED" not in place.printed
    assert "TRIED" in place.printed
    assert [path.name for path in place.data.iterdir()] == ["train.csv"]


def test_writing_over_the_image_counts(
    containers: ImageRooms, place: Place, podman: Podman
) -> None:
    (place.agent / "Dockerfile").write_text(f"FROM {IMAGE}\nCOPY helper.py /home/agent/\n")
    build_image(place.agent, "localhost/writable:latest", engine=podman.url)
    # In the image's own folder of the agent, which is not bound to one of the host's.
    command = ("bash", "-c", "while true; do echo {0..20000} >> x; done")
    limits = RoomLimits(seconds=SECONDS, disk=10**6)
    plan = place.plan("", image="localhost/writable:latest", command=command, limits=limits)
    end = containers.run(plan, threading.Event())
    assert end.cause == "disk_full", (end, place.printed)


def test_engine_lost_is_the_infrastructures_fault(
    place: Place, podman: Podman, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mlebench.sandbox.container_watch.ASK_SECONDS", 0.05)
    rooms = ImageRooms(podman.url)
    failing = threading.Event()
    from docker.models.containers import Container

    reload = Container.reload

    def refuse(self: Container, *arguments: Any) -> None:
        if failing.is_set():
            raise ConnectionError("gone")
        reload(self, *arguments)

    monkeypatch.setattr(Container, "reload", refuse)
    sign = place.room / "logs/started"

    def wait() -> None:
        while not sign.exists():
            time.sleep(0.05)
        failing.set()

    thread = threading.Thread(target=wait)
    thread.start()
    with pytest.raises(SandboxError, match="is lost: gone"):
        rooms.run(place.plan(STAY), threading.Event())
    thread.join()
    assert left(podman) == []


def test_no_engine_and_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(container_engine.HOST_VARIABLE, raising=False)
    monkeypatch.setattr(container_engine, "usual_sockets", lambda: [tmp_path / "none"])
    assert "No container engine" in str(ContainerSandbox().why_unusable())
    monkeypatch.setenv(container_engine.HOST_VARIABLE, f"unix://{tmp_path}/none")
    assert "does not answer" in str(ContainerSandbox().why_unusable())
    monkeypatch.setattr(container_engine, "find_spec", lambda _: None)
    assert "mlebench[containers]" in str(ContainerSandbox().why_unusable())


def test_usual_sockets(monkeypatch: pytest.MonkeyPatch, podman: Podman) -> None:
    monkeypatch.delenv(container_engine.HOST_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert container_engine.usual_sockets()[-1] == Path("/run/user/7/podman/podman.sock")
    socket = podman.folder / "podman.sock"
    monkeypatch.setattr(container_engine, "usual_sockets", lambda: [socket])
    assert container_engine.engine_url() == podman.url
    assert ContainerSandbox().why_unusable() is None
