"""The walls of a room as bubblewrap's options: all that an agent can see, place by place."""

from __future__ import annotations

import shutil
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import SandboxError
from mlebench.sandbox.graphics import graphics_devices
from mlebench.sandbox.hiding import hidden_places
from mlebench.sandbox.layout import AGENT, COLLECTED, DATA, HOME
from mlebench.sandbox.making import TEMPORARY
from mlebench.sandbox.room import PythonHome, RoomPlan

ROOM_VARIABLE = "MLEBENCH_ROOM"
"""On bubblewrap's command line, so that a room is found by its name."""
USER = 1000
SHARED_MEMORY = "/dev/shm"  # noqa: S108 (the room's own)
DOOR_PLACE = "/run/mlebench"
DOOR_SCRIPT, DOOR_CONFIG = "door.py", "door.json"

SYSTEM = "/usr"
BESIDE_SYSTEM = ("bin", "sbin", "lib", "lib64", "lib32", "libx32")
# What programs need of /etc: how libraries are found, which certificates to trust, fonts.
# No names of users or machines, no configuration of services, no keys.
SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "ca-certificates",
    "ca-certificates.conf", "ssl/certs", "ssl/openssl.cnf", "pki/tls/certs", "pki/ca-trust",
    "fonts", "mime.types", "os-release",
)  # fmt: skip
OWN_SETTINGS = {
    "passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\n"
    f"agent:x:{USER}:{USER}:agent:{HOME / AGENT}:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
    "group": f"root:x:0:\nagent:x:{USER}:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "hostname": "room\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "resolv.conf": "",
}
# Lists of the kernel's that tell of all users' keys, whatever namespace asks.
LISTS_OF_KEYS = ("/proc/keys", "/proc/key-users")
TIME_ZONE = "/usr/share/zoneinfo/Etc/UTC"


@dataclass(frozen=True)
class Features:
    """What a bubblewrap can do.

    Attributes:
        can_disable: It can forbid rooms within rooms, which is where a kernel's faults are.
        has_sizes: It can limit a file system in memory.
    """

    can_disable: bool
    has_sizes: bool

    @property
    def namespaces(self) -> list[str]:
        """The options for namespaces: the room has its own of every kind."""
        disabling = ["--unshare-user", "--disable-userns"] if self.can_disable else []
        return ["--unshare-all", *disabling, "--die-with-parent", "--new-session"]


def walls(plan: RoomPlan, given: Path, features: Features) -> list[str]:
    """The options and the command for a room.

    Args:
        plan: What goes in.
        given: The folder with its texts, the door's program and configuration.
        features: What can be used.

    Raises:
        SandboxError: The room would show what it must not, or lack what it needs.
    """
    python, door_python = _pythons(plan.python)
    shown = [Path(SYSTEM), *python]
    _make_sure_nothing_shows(plan, shown)
    return [
        *features.namespaces,
        *("--as-pid-1", "--uid", str(USER), "--gid", str(USER), "--hostname", "room"),
        *("--clearenv", "--setenv", ROOM_VARIABLE, plan.name),
        *_system(),
        *_settings(given),
        *_kernel(plan, given, features),
        *("--bind", str(plan.folder / TEMPORARY), "/tmp"),  # noqa: S108 (the room's own)
        *("--symlink", "/tmp", "/var/tmp"),  # noqa: S108 (the same)
        *(word for folder in python for word in _shown(folder)),
        *_hidden(plan, given, shown),
        *_home(plan, given),
        *_doors(plan, given),
        *("--remount-ro", "/", "--chdir", "/", "--"),
        *(door_python, "-I", "-S", f"{DOOR_PLACE}/{DOOR_SCRIPT}", f"{DOOR_PLACE}/{DOOR_CONFIG}"),
    ]


def _shown(path: Path | str, place: Path | str | None = None) -> list[str]:
    """Options that show something of the host's, read-only, in its own or another place."""
    return ["--ro-bind", str(path), str(place or path)]


def _pythons(home: PythonHome | None) -> tuple[list[Path], str]:
    """The folders of the Pythons in a room, and the program that runs the door."""
    if home:
        names = [home.executables / name for name in ("python3", "python")]
        program = next((str(path) for path in names if path.exists()), None)
        if program is None:
            raise SandboxError(f"There is no Python in {home.executables}.")
        return [*home.folders], program
    if program := shutil.which("python3", path="/usr/bin:/usr/local/bin"):
        return [], program
    own = Path(sys.base_prefix)
    return [own], str(Path(sys.executable).resolve())


def _make_sure_nothing_shows(plan: RoomPlan, shown: list[Path]) -> None:
    """Refuse to show a folder that answers and other runs could lie in."""
    for folder in shown:
        for own in (plan.folder, plan.data):
            if own.resolve().is_relative_to(folder.resolve()):
                raise SandboxError(
                    f"{own} lies in {folder}, which every room can read, with all that is beside "
                    "it. Move data and runs elsewhere."
                )


def _system() -> Iterator[str]:
    yield from _shown(SYSTEM)
    for name in BESIDE_SYSTEM:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", str(path.readlink()), str(path))
        elif path.is_dir():
            yield from _shown(path)


def _settings(given: Path) -> Iterator[str]:
    for name in SETTINGS:
        path = Path("/etc", name)
        if path.exists():
            yield from _shown(path)
    folder = given / "etc"
    folder.mkdir()
    for name, text in OWN_SETTINGS.items():
        (folder / name).write_text(text, encoding="utf-8")
        yield from _shown(folder / name, f"/etc/{name}")
    yield from ("--symlink", TIME_ZONE, "/etc/localtime")
    yield from ("--symlink", "/proc/self/mounts", "/etc/mtab")


def _kernel(plan: RoomPlan, given: Path, features: Features) -> Iterator[str]:
    """What the kernel shows of itself: /proc, /dev and the processors."""
    yield from ("--proc", "/proc")
    # Much of it belongs to root, and if root starts a room, that is who the agent is to the
    # kernel: it could set the program that the host runs when another one crashes.
    for path in sorted(Path("/proc").iterdir()):
        if not path.name.isdigit() and not path.is_symlink() and _is_changeable(path):
            yield from _shown(path)
    empty = given / "empty"
    empty.touch()
    for name in LISTS_OF_KEYS:
        if Path(name).exists():
            yield from _shown(empty, name)
    yield from ("--dev", "/dev")
    if features.has_sizes and plan.limits.memory is not None:
        yield from ("--size", str(plan.limits.memory))
    yield from ("--perms", "1777", "--tmpfs", SHARED_MEMORY)
    devices = graphics_devices(plan.limits.gpus)
    for device in devices:
        yield from ("--dev-bind", str(device), str(device))
    yield from ("--remount-ro", "/dev")
    for path in [Path("/sys")] if devices else [Path("/sys/devices/system/cpu")]:
        if path.exists():
            yield from _shown(path)


def _is_changeable(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISDIR(mode) or bool(mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))


def _hidden(plan: RoomPlan, given: Path, shown: list[Path]) -> Iterator[str]:
    """Put nothing in the place of answers that lie among programs."""
    nothing = given / "nothing"
    nothing.touch()
    for place in hidden_places(shown, plan.hidden):
        if place.is_dir():
            yield from ("--tmpfs", str(place), "--remount-ro", str(place))
        else:
            yield from _shown(nothing, place)


def _home(plan: RoomPlan, given: Path) -> Iterator[str]:
    yield from _shown(plan.data.resolve(), str(HOME / DATA))
    for name in (*COLLECTED, AGENT):
        yield from ("--bind", str(plan.folder / name), str(HOME / name))
    for name in plan.texts:
        yield from _shown(given / "texts" / name, str(HOME / name))


def _doors(plan: RoomPlan, given: Path) -> Iterator[str]:
    for name in (DOOR_SCRIPT, DOOR_CONFIG):
        yield from _shown(given / name, f"{DOOR_PLACE}/{name}")
    for port, path in plan.doors.items():
        yield from _shown(path, f"{DOOR_PLACE}/{port}.sock")
