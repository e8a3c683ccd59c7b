"""A small container image made of this machine's own files, and a Podman that is the tests' own.

Nothing is pulled: Python with its standard library, bash, a few tools, the libraries they are
linked with, and a user called nonroot, as in images made for the original.
"""

from __future__ import annotations

import io
import marshal
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path

import pytest

from mlebench.sandbox.container import ContainerSandbox
from mlebench.sandbox.room import RoomEnd, RoomPlan

IMAGE = "localhost/mlebench-test:latest"

TOOLS = (
    "bash", "sh", "cat", "chmod", "env", "id", "ls", "mknod", "mount", "mv", "sleep", "true",
)  # fmt: skip
# What no agent of the tests needs, and what would make the image large.
LEFT_OUT = {
    "test", "tests", "idlelib", "lib2to3", "tkinter", "ensurepip", "turtledemo", "pydoc_data",
    "distutils", "site-packages", "unittest", "asyncio", "sqlite3", "xml", "wsgiref", "curses",
    "dbm", "venv", "pydoc", "turtle", "_pydecimal", "config", "msilib",
}  # fmt: skip
CODINGS = {"__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "utf_8"}
MODULES = (
    "_socket", "_struct", "_ctypes", "_posixsubprocess", "array", "fcntl", "math", "mmap",
    "resource", "select", "zlib", "binascii", "_random", "_hashlib", "_sha", "_blake2", "_bisect",
    "_json", "_datetime", "_queue", "grp", "unicodedata", "_contextvars", "_typing", "_heapq",
    "_opcode", "_pickle", "termios", "_md5",
)  # fmt: skip
FOLDERS = {"tmp": 0o1777, "var/tmp": 0o1777, "home": 0o755, "run": 0o755, "root": 0o700}
PASSWD = "root:x:0:0:root:/root:/bin/bash\nnonroot:x:4321:4321::/home/nonroot:/bin/bash\n"
SECONDS_TO_ANSWER = 120
QUICK = Path("/dev/shm")  # an engine waits for the disk all the time


def why_no_podman() -> str | None:
    """Why containers cannot be tried here; None if they can."""
    missing = [name for name in ("podman", "runc", "conmon") if shutil.which(name) is None]
    if missing:
        return f"needs {' and '.join(missing)}"
    return None if os.geteuid() == 0 else "needs root, for a Podman of the tests' own"


def write_image(path: Path) -> Path:
    """Write the files of the image as a tar archive."""
    python = Path(sys.base_prefix) / "bin" / f"python{sysconfig.get_python_version()}"
    library = Path(sysconfig.get_path("stdlib"))
    extensions = [
        module
        for module in sorted((library / "lib-dynload").glob("*.so"))
        if module.name.startswith(MODULES)
    ]
    tools = [Path(found) for name in TOOLS if (found := shutil.which(name))]
    inside = Path("usr/lib") / library.name
    with tarfile.open(path, "w") as archive:
        for folder, mode in FOLDERS.items():
            _add_folder(archive, folder, mode)
        _add(archive, "etc/passwd", PASSWD.encode())
        _add(archive, "etc/group", b"root:x:0:\nnonroot:x:4321:\n")
        for tool in tools:
            _add(archive, f"bin/{tool.name}", _program(tool), 0o755)
        _add(archive, "usr/bin/python3", _program(python.resolve()), 0o755)
        _add(archive, f"{inside}/os.py", (library / "os.py").read_bytes())
        _add(archive, f"usr/lib/{_zip_name()}", _zipped(library))
        for module in extensions:
            _add(archive, f"{inside}/lib-dynload/{module.name}", _program(module), 0o755)
        for name, source in _libraries([python, *tools, *extensions]).items():
            _add(archive, name, _program(source), 0o755)
    return path


def _zip_name() -> str:
    return f"python{sys.version_info.major}{sys.version_info.minor}.zip"


def _zipped(library: Path) -> bytes:
    """The standard library in one file, compiled, so that Python starts quickly."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for source in sorted(library.rglob("*.py")):
            name = source.relative_to(library)
            is_coding = name.parts[0] == "encodings" and name.stem not in CODINGS
            if is_coding or any(part in LEFT_OUT for part in name.parts):
                continue
            archive.writestr(str(name.with_suffix(".pyc")), _compiled(source))
    return made.getvalue()


def _compiled(source: Path) -> bytes:
    ready = Path(cache_from_source(str(source), optimization=""))
    if ready.is_file() and ready.read_bytes().startswith(MAGIC_NUMBER):
        return ready.read_bytes()
    code = compile(source.read_bytes(), source.name, "exec", dont_inherit=True, optimize=0)
    return MAGIC_NUMBER + b"\0" * 12 + marshal.dumps(code)


def _libraries(programs: list[Path]) -> dict[str, Path]:
    """The shared libraries of programs, by the place where they are to be found inside."""
    printed = subprocess.run(
        ["ldd", *map(str, programs)], capture_output=True, text=True, check=False, timeout=60
    ).stdout
    found = {Path(place) for place in re.findall(r"(?:=> |^\s+)(/\S+) \(", printed, re.MULTILINE)}
    return {
        f"{'lib64' if path.name.startswith('ld-') else 'lib'}/{path.name}": path
        for path in sorted(found)
    }


def _program(path: Path) -> bytes:
    """A program or library without what only debuggers read, where the tool for that is found."""
    if shutil.which("strip") is None:
        return path.read_bytes()
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "-o", stripped.name, str(path)], check=True, timeout=60)
        return Path(stripped.name).read_bytes()


def _add(archive: tarfile.TarFile, name: str, content: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), mode
    archive.addfile(entry, io.BytesIO(content))


def _add_folder(archive: tarfile.TarFile, name: str, mode: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode = tarfile.DIRTYPE, mode
    archive.addfile(entry)


@dataclass(frozen=True)
class Podman:
    """An engine with storage of its own."""

    folder: Path
    environment: dict[str, str]

    @property
    def url(self) -> str:
        return f"unix://{self.folder / 'podman.sock'}"

    def call(self, *arguments: str) -> str:
        """What a command of Podman's prints."""
        done = subprocess.run(
            ["podman", *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def own_podman(folder: Path, **environment: str) -> Iterator[Podman]:
    """A Podman whose images and containers are in this folder, answering at a socket in it."""
    (folder / "containers.conf").write_text(
        f'[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\n'
        f'lock_type = "file"\ntmp_dir = "{folder}/tmp"\n'  # shared with no other engine
        '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
    )
    (folder / "storage.conf").write_text(
        f'[storage]\ndriver = "vfs"\nrunroot = "{folder}/run"\ngraphroot = "{folder}/storage"\n'
    )
    podman = Podman(
        folder,
        {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "CONTAINERS_CONF": str(folder / "containers.conf"),
            "CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
            **environment,
        },
    )
    with (folder / "service.log").open("wb") as log:
        service = subprocess.Popen(
            ["podman", "system", "service", "--time=0", podman.url],
            env=podman.environment,
            cwd=folder,  # where it leaves signs of its own
            stdout=log,
            stderr=log,
        )
        try:
            deadline = time.monotonic() + SECONDS_TO_ANSWER
            while not (folder / "podman.sock").exists():
                if service.poll() is not None or time.monotonic() > deadline:
                    pytest.fail(f"Podman does not start: {(folder / 'service.log').read_text()}")
                time.sleep(0.05)
            yield podman
        finally:
            podman.call("rm", "--all", "--force", "--time=0")
            service.terminate()
            service.wait(timeout=30)


def add_image(podman: Podman) -> None:
    """Give an engine the image of the tests."""
    archive = write_image(podman.folder / "image.tar")
    podman.call("import", "--change", "ENV PATH=/bin:/usr/bin", str(archive), IMAGE)
    archive.unlink()


@pytest.fixture(scope="session")
def podman() -> Iterator[Podman]:
    """A Podman of the tests' own that has the image."""
    if reason := why_no_podman():
        pytest.skip(reason)
    with (
        tempfile.TemporaryDirectory(dir=QUICK if QUICK.is_dir() else None) as folder,
        own_podman(Path(folder), HTTPS_PROXY="http://key@proxy") as engine,
    ):
        add_image(engine)
        yield engine


class ImageRooms(ContainerSandbox):
    """Containers of the tests' own image, for plans that name none."""

    def run(self, plan: RoomPlan, stop: threading.Event) -> RoomEnd:
        return super().run(plan if plan.image else replace(plan, image=IMAGE), stop)


@pytest.fixture
def containers(podman: Podman) -> ImageRooms:
    return ImageRooms(podman.url)
