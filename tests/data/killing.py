"""Kills a preparation before each single change it makes to the disk, and looks what is left.

Run as a program, because it forks: ``python -m tests.data.killing SCENE FOLDER``. Prints one
JSON object: how many kills there were, and what was wrong after which of them.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from mlebench.data.manifest import find_gap
from mlebench.data.prepare import prepare
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition, file_digests

SCENES = ("nothing", "empty folders", "old data", "own zip", "kept raw", "other disk")
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate"}

PREPARE = """
def prepare(raw: Path, public: Path, private: Path) -> None:
    from mlebench.preparing.files import place_all

    (public / "sample_submission.csv").write_bytes((raw / "data.csv").read_bytes())
    (private / "test.csv").write_bytes((raw / "data.csv").read_bytes())
    place_all(["a", "b"], raw / "media", public / "media")
"""


def make_raw(folder: Path, value: int) -> Path:
    """Raw data, a table and a folder of media files, that differ with the value."""
    (folder / "media").mkdir(parents=True)
    for name in ("data.csv", "media/a", "media/b"):
        (folder / name).write_text(f"id,value\n1,{value}\n")
    return folder


def pretend_other_disk() -> None:
    """Refuse to rename anything into or out of the prepared public and private folders."""
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if any(place.parts[-3:-2] == ("prepared",) for place in (path, Path(target))):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return rename(path, target)

    Path.rename = refuse  # type: ignore[method-assign,assignment]


class Scene:
    """A competition with certain data, and another preparation that is about to run."""

    def __init__(self, kind: str, work: Path) -> None:
        self.kind = kind
        self.work = work
        add_competition(work / "competitions", "mine", PREPARE)
        self.competition = self.competition_in("data")
        assert self.competition.task
        assert self.competition.task.module  # imported here, not in each of the children
        self.before = self.undisturbed("before", make_raw(work / "old raw", 1))
        self.after = self.undisturbed("after", make_raw(work / "new raw", 2))
        raw = work / "new raw"
        self.files = {str(f.relative_to(raw)): f for f in raw.rglob("*") if f.is_file()}

    def competition_in(self, folder: str) -> Competition:
        return Registry(self.work / folder, [self.work / "competitions"]).get_competition("mine")

    def undisturbed(self, folder: str, raw: Path) -> dict[str, str]:
        """What comes of these raw data if nobody is killed."""
        competition = self.competition_in(folder)
        in_child(lambda: prepare(competition, raw))
        return self.content(competition)

    @staticmethod
    def content(competition: Competition) -> dict[str, str]:
        parts = [competition.public_dir, competition.private_dir]
        return {
            f"{part.name}/{name}": digest
            for part in parts
            if part.is_dir()
            for name, digest in file_digests(part).items()
        }

    def set_up(self) -> None:
        """Put everything back to the beginning."""
        data = self.competition.data_dir
        shutil.rmtree(data, ignore_errors=True)
        if self.kind == "empty folders":
            self.competition.public_dir.mkdir(parents=True)
            self.competition.private_dir.mkdir()
        elif self.kind != "nothing":
            shutil.copytree(self.work / "before" / "mine", data)
        if self.kind in ("own zip", "kept raw"):
            pack(data / "mine.zip", self.files)
        if self.kind == "own zip":
            shutil.copytree(self.work / "new raw", self.competition.raw_dir)

    def run(self) -> None:
        if self.kind == "other disk":
            pretend_other_disk()
        source = None if self.kind in ("own zip", "kept raw") else self.work / "new raw"
        prepare(self.competition, source, force=True, keep_raw=self.kind == "kept raw")

    def complaints(self) -> Iterator[str]:
        """What is wrong after a kill, and after the next preparation."""
        found = self.content(self.competition)
        if find_gap(self.competition) is None and found not in (self.before, self.after):
            yield "half-made data count as prepared"
        if in_child(self.run) != 0:
            yield "preparing again failed"
        if find_gap(self.competition) or self.content(self.competition) != self.after:
            yield "preparing again gave something else"
        expected = {"prepared"} | {path.name for path in self.competition.data_dir.glob("*.zip")}
        if self.kind == "kept raw":
            expected.add("raw")
        elif self.kind == "own zip":
            expected |= {path.name for path in self.competition.data_dir.glob("raw")}
        left = {path.name for path in self.competition.data_dir.iterdir()} - expected
        left |= {path.name for path in self.competition.prepared_dir.glob(".*")}
        if left:
            yield f"left behind: {sorted(left)}"
        raw = self.competition.raw_dir
        if "raw" in expected and file_digests(raw) != file_digests(self.work / "new raw"):
            yield "the raw data are not complete"


def in_child(work: Callable[[], object], kill_at: int | None = None) -> int:
    """Run something in a forked process and give its exit status, negative for a signal."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            if kill_at is not None:
                kill_before_change(kill_at)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def kill_before_change(number: int) -> None:
    """Make this process kill itself before its nth change to the disk."""
    changes = 0

    def count(event: str, args: tuple[object, ...]) -> None:
        nonlocal changes
        flags = args[2] if event == "open" else 0
        if event in CHANGES or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            changes += 1
            if changes == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def main() -> None:
    scene = Scene(sys.argv[1], Path(sys.argv[2]))
    wrong: dict[int, list[str]] = {}
    number = 0
    while True:
        number += 1
        scene.set_up()
        status = in_child(scene.run, kill_at=number)
        if status == 0:
            break
        found = list(scene.complaints()) if status == -signal.SIGKILL else [f"exit code {status}"]
        if found:
            wrong[number] = found
    print(json.dumps({"kills": number - 1, "wrong": wrong}))


if __name__ == "__main__":
    main()
