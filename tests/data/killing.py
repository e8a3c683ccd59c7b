"""Disturbs a preparation at some change it makes to the disk, and looks what is left.

Run as a program, because it forks: ``python -m tests.data.killing SCENE FOLDER MOMENTS``. Prints
one JSON object: how many moments were tried, and what was wrong after which of them. Without
MOMENTS, every single one is tried.

A process is killed, interrupted, or told by the disk that it fails or is full. Afterwards whoever
looks at the data must find the old ones or the new ones, whole; and preparing again must give
what an undisturbed preparation gives.
"""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from mlebench.data.manifest import find_gap
from mlebench.data.prepare import prepare
from mlebench.preparing.archives import pack
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.helpers import add_competition, file_digests
from tests.kaggle_server import KEY, USER, serve_kaggle

SCENES = (
    "nothing", "empty folders", "old data", "own zip", "kept raw", "other disk", "download",
    "unpacked",
)  # fmt: skip
# Prepared again from an archive; these have media, archives inside archives, and a zip in public.
BUILT_IN = (
    "leaf-classification",
    "dogs-vs-cats-redux-kernels-edition",
    "denoising-dirty-documents",
)
WAYS = ("kill", "interrupt", "EIO", "ENOSPC")
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate"}

PREPARE = """
import zipfile


def prepare(raw: Path, public: Path, private: Path) -> None:
    from mlebench.preparing.files import place_all

    (public / "sample_submission.csv").write_bytes((raw / "data.csv").read_bytes())
    (private / "test.csv").write_bytes((raw / "data.csv").read_bytes())
    place_all(["a", "b"], raw / "media", public / "media")
    for name in ("one.zip", "two.zip"):
        with zipfile.ZipFile(public / name, "w") as archive:
            for member in ("a", "b"):
                archive.writestr(zipfile.ZipInfo(member), (raw / "media" / member).read_bytes())
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

    def is_inside(path: Path) -> bool:
        return any(part in path.parts[:-1] for part in ("public", "private"))

    def refuse(path: Path, target: Path) -> Path:
        if is_inside(Path(target)) and "prepared" in Path(target).parts and not is_inside(path):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return rename(path, target)

    Path.rename = refuse  # type: ignore[method-assign,assignment]


class Scene:
    """A competition with certain data, and another preparation that is about to run."""

    def __init__(self, kind: str, work: Path) -> None:
        self.kind = kind
        self.work = work
        self.is_built_in = kind in BUILT_IN
        if not self.is_built_in:
            add_competition(work / "competitions", "mine", PREPARE)
        self.competition = self.competition_in("data")
        assert self.competition.task
        assert self.competition.task.module  # imported here, not in each of the children
        if self.is_built_in:
            self.competition.task.fixture(work / "new raw")
            self.before = self.undisturbed("before", work / "new raw")
        else:
            self.before = self.undisturbed("before", make_raw(work / "old raw", 1))
            make_raw(work / "new raw", 2)
        self.after = self.undisturbed("after", work / "new raw")
        raw = work / "new raw"
        self.files = {str(f.relative_to(raw)): f for f in raw.rglob("*") if f.is_file()}
        pack(work / "mine.zip", self.files)

    def competition_in(self, folder: str) -> Competition:
        name = self.kind if self.is_built_in else "mine"
        own = [] if self.is_built_in else [self.work / "competitions"]
        return Registry(self.work / folder, own).get_competition(name)

    def undisturbed(self, folder: str, raw: Path) -> dict[str, str]:
        """What comes of these raw data if nobody is killed."""
        competition = self.competition_in(folder)
        options = {"layout": self.layout, "skip_verification": True}
        assert in_child(lambda: prepare(competition, raw, **options)) == 0
        return self.content(competition)

    @staticmethod
    def content(competition: Competition) -> dict[str, str]:
        parts = [competition.public_dir, competition.private_dir]
        return {
            f"{part.name}/{name}": digest
            for part in parts
            if part.is_dir()
            for name, digest in file_digests(part).items()
            if not name.startswith(".mlebench-")
        }

    @property
    def layout(self) -> str:
        return "extracted" if self.kind == "unpacked" else "archived"

    @property
    def has_old_data(self) -> bool:
        return self.kind not in ("nothing", "empty folders")

    def set_up(self) -> None:
        """Put everything back to the beginning."""
        data = self.competition.data_dir
        shutil.rmtree(data, ignore_errors=True)
        if self.kind == "empty folders":
            self.competition.public_dir.mkdir(parents=True)
            self.competition.private_dir.mkdir()
        elif self.has_old_data:
            shutil.copytree(self.work / "before" / self.competition.id, data)
        if self.kind in ("own zip", "kept raw"):
            shutil.copy(self.work / "mine.zip", data)
        if self.kind == "own zip":
            shutil.copytree(self.work / "new raw", self.competition.raw_dir)

    def run(self) -> None:
        if self.kind == "other disk":
            pretend_other_disk()
        has_own = self.kind in ("own zip", "kept raw", "download")
        source = self.work / ("mine.zip" if self.is_built_in else "new raw")
        prepare(
            self.competition,
            None if has_own else source,
            force=True,
            keep_raw=self.kind == "kept raw",
            skip_verification=True,
            layout=self.layout,
        )

    def complaints(self) -> Iterator[str]:
        """What is wrong after a disturbance, and after the next preparation."""
        gap = find_gap(self.competition)
        if self.has_old_data and gap:
            yield f"neither old nor new data are there: {gap.reason}"
        if gap is None and self.content(self.competition) not in (self.before, self.after):
            yield "half-made data count as prepared"
        if in_child(self.run) != 0:
            yield "preparing again failed"
        if find_gap(self.competition) or self.content(self.competition) != self.after:
            yield "preparing again gave something else"
        data = self.competition.data_dir
        expected = {"prepared"}
        if self.kind in ("own zip", "kept raw"):
            expected |= {"mine.zip", "raw"}
        # A lock that a failing disk did not let go of is free all the same.
        there = {path.name for path in data.iterdir() if path.suffix != ".lock"}
        left = there ^ expected
        left |= {str(path.relative_to(data)) for path in data.glob("prepared/**/.*")}
        if left:
            yield f"left behind, or lost: {sorted(left)}"
        raw = self.competition.raw_dir
        if "raw" in expected and file_digests(raw) != file_digests(self.work / "new raw"):
            yield "the raw data are not complete"


def in_child(work: Callable[[], object], before: Callable[[], None] | None = None) -> int:
    """Run something in a forked process and give its exit status, negative for a signal."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            if before is not None:
                before()
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


class Changes:
    """Counts what this process changes on the disk, and disturbs it at one of the changes."""

    def __init__(self, at: int, disturb: Callable[[], None]) -> None:
        self.left = at
        self.disturb = disturb
        self.count = 0

    def watch(self) -> None:
        sys.addaudithook(self._look)
        fsync = os.fsync

        def counted(handle: int) -> None:
            self._change()
            fsync(handle)

        os.fsync = counted

    def _look(self, event: str, args: tuple[object, ...]) -> None:
        flags = args[2] if event == "open" else 0
        if event in CHANGES or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)):
            self._change()

    def _change(self) -> None:
        self.left -= 1
        self.count += 1
        if self.left == 0:
            self.disturb()


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def interrupt() -> None:
    raise KeyboardInterrupt


def fail(code: int) -> None:
    raise OSError(code, os.strerror(code))


DISTURBANCES: dict[str, Callable[[], None]] = {
    "kill": kill,
    "interrupt": interrupt,
    "EIO": partial(fail, errno.EIO),
    "ENOSPC": partial(fail, errno.ENOSPC),
}


def count_changes(scene: Scene) -> int:
    """How many changes an undisturbed preparation makes."""
    changes, count = Changes(0, kill), scene.work / "count"
    scene.set_up()

    def run() -> None:
        scene.run()
        count.write_text(str(changes.count))

    assert in_child(run, changes.watch) == 0
    return int(count.read_text())


def disturbed_at(scene: Scene, how: str, moment: int) -> list[str]:
    """What is wrong if a preparation is disturbed at its nth change."""
    scene.set_up()
    sys.stderr.flush()
    in_child(scene.run, Changes(moment, DISTURBANCES[how]).watch)
    return list(scene.complaints())


def main() -> None:
    kind, work = sys.argv[1], Path(sys.argv[2])
    with serve_kaggle() if kind == "download" else nullcontext() as kaggle:
        scene = Scene(kind, work)
        if kaggle:
            kaggle.archives["mine"] = work / "mine.zip"
            os.environ |= {
                "MLEBENCH_KAGGLE_API": kaggle.api,
                "KAGGLE_USERNAME": USER,
                "KAGGLE_KEY": KEY,
            }
        count = count_changes(scene)
        moments = [(how, moment) for how in WAYS for moment in range(1, count + 1)]
        if len(sys.argv) > 3:
            wanted = int(sys.argv[3])
            chance = random.Random(kind)
            moments = [
                (how, moment)
                for how in WAYS
                for moment in sorted(chance.sample(range(1, count + 1), wanted))
            ]
        wrong = {
            f"{how} {moment}": found
            for how, moment in moments
            if (found := disturbed_at(scene, how, moment))
        }
    print(json.dumps({"tried": len(moments), "changes": count, "wrong": wrong}))


if __name__ == "__main__":
    main()
