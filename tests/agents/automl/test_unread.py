"""Files are read as far as there is time, and it is told which ones cannot be read, and why."""

from __future__ import annotations

import io
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import py7zr
import pytest
from PIL import Image

from mlebench.agents.automl.automl.features import files, troves
from mlebench.agents.automl.automl.features.files import frame_of_files
from mlebench.agents.automl.automl.features.locating import Kind, locate
from mlebench.agents.automl.automl.features.troves import contents, entries
from mlebench.agents.automl.automl.features.unread import Unread
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.planning.bench import FILES, Bench
from mlebench.agents.automl.automl.planning.order import steps
from mlebench.agents.automl.automl.planning.step import Notes
from mlebench.agents.automl.automl.store import Store

from .conftest import StoppedClock

MEMORY = 1 << 30
ENDINGS = [".zip", ".tar.gz", ".7z"]


def _pack(path: Path, members: dict[str, bytes]) -> None:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name, content in members.items():
                packed.writestr(name, content)
    elif path.suffix == ".7z":
        with py7zr.SevenZipFile(path, "w") as seven:
            for name, content in members.items():
                seven.writestr(content, name)
    else:
        with tarfile.open(path, "w:gz") as tape:
            for name, content in members.items():
                about = tarfile.TarInfo(name)
                about.size = len(content)
                tape.addfile(about, io.BytesIO(content))


def _texts(data: Path, ending: str, count: int) -> Kind:
    """Rows with a text each: one that is to be predicted, and others."""
    _pack(data / f"all{ending}", {f"{n}.txt": f"level {n}".encode() for n in range(count)})
    known = [str(n) for n in range(1, count)]
    (kind,) = locate(entries(data, Unread()), [known], [["0"]])
    return kind


@pytest.mark.parametrize("ending", ["", *ENDINGS])
def test_reading_ends_in_time_wherever_files_are(
    ending: str, clock: StoppedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(troves, "MEMBERS_AT_ONCE", 1)
    if ending:
        _pack(tmp_path / f"all{ending}", {f"{n}.txt": b"1" for n in range(9)})
    else:
        for n in range(9):
            (tmp_path / f"{n}.txt").write_bytes(b"1")
    read = []
    asked = entries(tmp_path, Unread())
    for place, _ in contents(tmp_path, asked, Unread(), clock.now + 3):
        read.append(place)
        clock.now += 1
    assert len(asked) == 9
    assert len(read) == 3


@pytest.mark.parametrize("ending", [".zip", ".tar.gz"])
def test_what_was_read_in_time_is_not_lost(
    ending: str, clock: StoppedClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = _texts(tmp_path, ending, 40)
    described = files.described

    def slowly(*given: Any) -> Any:
        clock.now += 1
        return described(*given)

    monkeypatch.setattr(files, "described", slowly)
    frame = frame_of_files(tmp_path, [kind], 39, 10.0, 0, Unread())
    assert np.isfinite(frame.matrix).all(axis=1).sum() == 10


def test_archives_are_not_opened_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = _texts(tmp_path, ".zip", 600)
    opened = []

    class Counted(zipfile.ZipFile):
        def __init__(self, *given: Any, **also: Any) -> None:
            opened.append(given)
            super().__init__(*given, **also)

    monkeypatch.setattr(zipfile, "ZipFile", Counted)
    frame = frame_of_files(tmp_path, [kind], 599, 60.0, 0, Unread())
    assert np.isfinite(frame.matrix).all()
    assert len(opened) == 2  # for a look at some, and for all


def test_of_more_archives_than_may_be_open_all_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(troves, "MOST_OPEN", 2)
    for n in range(5):
        _pack(tmp_path / f"{n}.zip", {"a.txt": b"%d" % n, "b.txt": b"%d" % n})
    asked = sorted(entries(tmp_path, Unread()), key=lambda entry: entry.member)
    read = dict(contents(tmp_path, asked, Unread()))
    assert [read[place] for place in range(10)] == [b"%d" % (n % 5) for n in range(10)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_damaged_archive_is_told_and_costs_only_itself(ending: str, tmp_path: Path) -> None:
    noise = {f"{n}.bin": np.random.default_rng(n).bytes(20_000) for n in range(5)}
    _pack(tmp_path / f"cut{ending}", noise)
    whole = (tmp_path / f"cut{ending}").read_bytes()
    (tmp_path / f"cut{ending}").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "other.txt").write_bytes(b"1")
    unread = Unread()
    asked = entries(tmp_path, unread)
    assert asked[-1].path == "other.txt"
    assert (len(asked) > 1) is (ending == ".tar.gz")  # others have their list at the end
    read = dict(contents(tmp_path, asked, unread))
    assert read[len(asked) - 1] == b"1"
    (found,) = unread.found
    assert (found["files"], found["example"]) == (1, f"cut{ending}")


def test_an_archive_that_breaks_off_between_two_looks_is_told(tmp_path: Path) -> None:
    for ending in ENDINGS:
        _pack(tmp_path / f"all{ending}", {"a.txt": b"1"})
    asked = entries(tmp_path, Unread())
    for ending in ENDINGS:
        (tmp_path / f"all{ending}").write_bytes(b"no archive")
    unread = Unread()
    assert list(contents(tmp_path, asked, unread)) == []
    assert sum(found["files"] for found in unread.found) == 3


def test_files_that_are_too_large_or_gone_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(troves, "LARGEST_FILE", 3)
    for ending in ENDINGS:
        _pack(tmp_path / f"all{ending}", {"a.txt": b"12345", "b.txt": b"1"})
    (tmp_path / "gone.txt").write_bytes(b"1")
    (tmp_path / "large.txt").write_bytes(b"12345")
    asked = entries(tmp_path, Unread())
    (tmp_path / "gone.txt").unlink()
    unread = Unread()
    assert [content for _, content in contents(tmp_path, asked, unread)] == [b"1"] * 3
    told = {found["reason"]: found["files"] for found in unread.found}
    assert told == {
        "ValueError: it is too large": 4,
        "FileNotFoundError: No such file or directory": 1,
    }


def test_reasons_are_the_same_for_all_files_and_the_commonest_first() -> None:
    unread = Unread()
    for n in range(4):
        with unread.noting(f"train/{n}.dcm"):
            raise ValueError(f"{100 + n} bytes of <File at 0x7f{n}> are missing\nline {n}")
    with unread.noting("train/0.wav"):
        raise OSError(2, "No such file", f"train/{n}.wav")
    assert list(unread.found) == [
        {
            "reason": "ValueError: ... bytes of ... are missing",
            "files": 4,
            "example": "train/0.dcm",
        },
        {"reason": "FileNotFoundError: No such file", "files": 1, "example": "train/0.wav"},
    ]


def _bench(folder: Path) -> Bench:
    """Rows with a picture each, of which one is damaged."""
    data = folder / "data"
    data.mkdir()
    for n in range(40):
        Image.fromarray(np.full((9, 9), n, np.uint8)).save(data / f"p{n}.png")
    (data / "p3.png").write_bytes(b"no picture")
    rows = "".join(f"p{n},{n % 2}\n" for n in range(30))
    (data / "train.csv").write_text(f"id,kind\n{rows}")
    asked = "".join(f"p{n},0\n" for n in range(30, 40))
    (data / "sample_submission.csv").write_text(f"id,kind\n{asked}")
    problem = infer(data, MEMORY)
    return Bench(problem, make_folds(problem, 0), Store(folder / "scratch"), 0, 1)


def test_the_step_that_reads_files_tells_which_it_could_not(tmp_path: Path) -> None:
    step = next(step for step in steps(_bench(tmp_path)) if step.name == FILES)
    notes = step.work()
    assert isinstance(notes, Notes)
    (found,) = notes.found
    assert notes.kind == "unread"
    assert (found["files"], found["example"]) == (1, "p3.png")


def test_a_missing_library_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = next(step for step in steps(_bench(tmp_path)) if step.name == FILES)
    monkeypatch.setitem(sys.modules, "PIL", None)
    notes = step.work()
    assert isinstance(notes, Notes)
    assert "PIL" in notes.found[0]["reason"]
