"""Taking what agents leave: nothing of it hangs, fails or leads outside."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mlebench.errors import UnwritableFolderError
from mlebench.sandbox.collecting import CollectLimits, collect, read_submission_safely
from mlebench.sandbox.walking import remove_tree
from tests.rights import as_ordinary_user


@pytest.fixture
def source(tmp_path: Path) -> Path:
    for name in ("submission", "logs", "code"):
        (tmp_path / "room" / name).mkdir(parents=True)
    return tmp_path / "room"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "run"


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_files_and_folders_are_taken(source: Path, target: Path) -> None:
    (source / "submission/submission.csv").write_text("id\n1\n")
    (source / "code/deep/er").mkdir(parents=True)
    (source / "code/deep/er/run.sh").write_text("exit")
    (source / "code/deep/er/run.sh").chmod(0o6711)
    (source / "code/empty").mkdir()
    (source / "other").mkdir()
    (source / "other/file").write_text("not collected")
    collected = collect(source, target)
    assert tree(target) == {"submission/submission.csv": "id\n1\n", "code/deep/er/run.sh": "exit"}
    assert (collected.files, collected.bytes, collected.left_out) == (2, 9, [])
    assert stat.S_IMODE((target / "code/deep/er/run.sh").stat().st_mode) == 0o755
    assert stat.S_IMODE((target / "submission/submission.csv").stat().st_mode) == 0o644
    assert (target / "code/empty").is_dir()


def test_copies_where_moving_is_impossible(
    source: Path, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rename(*_: object, **__: object) -> None:
        raise OSError(errno.EXDEV, "another disk")

    (source / "code/x").write_text("x" * 3_000_000)
    monkeypatch.setattr(os, "rename", rename)
    assert collect(source, target).files == 1
    assert (target / "code/x").read_text() == "x" * 3_000_000


def test_what_is_no_file_is_left_and_listed(
    source: Path, target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret").write_text("secret")
    (source / "code/link").symlink_to(tmp_path / "secret")
    (source / "code/folder-link").symlink_to(tmp_path)
    (source / "code/loop").symlink_to(".")
    os.mkfifo(source / "code/pipe")
    monkeypatch.chdir(source / "code")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind("socket")
    collected = collect(source, target)
    assert tree(target) == {}
    assert dict(collected.left_out) == {
        "code/link": "a link",
        "code/folder-link": "a link",
        "code/loop": "a link",
        "code/pipe": "a pipe",
        "code/socket": "a socket",
    }


def test_folder_that_is_a_link_is_left(source: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (source / "logs").rmdir()
    (source / "logs").symlink_to(tmp_path)
    (source / "code").rmdir()
    collected = collect(source, target)
    assert collected.left_out == [("logs", "no folder"), ("code", "no folder")]
    assert tree(target) == {}


def test_odd_names_are_kept_and_listed_as_text(source: Path, target: Path) -> None:
    folder = os.fsencode(source / "code")
    for name in (b"two\nlines", b"\xff\xfe", b"\x1b[31mred", b"-rf", b" "):
        Path(os.fsdecode(folder + b"/" + name)).write_text("x")
        Path(os.fsdecode(folder + b"/link-" + name)).symlink_to("/")
    collected = collect(source, target)
    assert collected.files == 5
    assert len(collected.left_out) == 5
    assert all(name.isprintable() for name, _ in collected.left_out)


def test_limits_on_size(source: Path, target: Path) -> None:
    for name, size in {"small": 10, "sparse": 10 * 10**12, "large": 2000}.items():
        path = source / "code" / name
        path.touch()
        os.truncate(path, size)
    limits = CollectLimits(total_bytes=1500, file_bytes=10**12)
    collected = collect(source, target, limits)
    assert [path.name for path in (target / "code").iterdir()] == ["small"]
    assert sorted(collected.left_out) == [
        ("code/large", "too many bytes in all"),
        ("code/sparse", "10,000,000,000,000 bytes long"),
    ]


def test_limits_on_number_and_depth(source: Path, target: Path) -> None:
    for number in range(50):
        (source / "logs" / f"{number}").touch()
    (source / "submission/a/b/c/d").mkdir(parents=True)
    (source / "submission/a/b/c/d/file").touch()
    collected = collect(source, target, CollectLimits(files=30, depth=3))
    assert len(list((target / "logs").iterdir())) < 30
    assert ("submission/a/b/c", "nested too deeply") in collected.left_out
    assert ("logs/...", "too many files") in collected.left_out


def test_list_of_what_was_left_is_short(source: Path, target: Path) -> None:
    for number in range(300):
        (source / "code" / f"{number}").symlink_to("/")
    collected = collect(source, target)
    assert (len(collected.left_out), collected.left_out_count) == (100, 300)


def test_hard_links_become_files_of_their_own(source: Path, target: Path) -> None:
    (source / "code/a").write_text("x")
    (source / "code/b").hardlink_to(source / "code/a")
    assert collect(source, target).files == 2
    assert {path.stat().st_nlink for path in (target / "code").iterdir()} == {1}


CLOSED = """
import sys
from pathlib import Path
from mlebench.sandbox.collecting import collect, read_submission_safely
source, target = map(Path, sys.argv[1:])
(source / "code/closed").mkdir()
(source / "code/closed/file").write_text("kept")
(source / "submission/submission.csv").write_text("x")
for name in ("code/closed/file", "code/closed", "submission/submission.csv", "code"):
    (source / name).chmod(0)
print(read_submission_safely(source / "submission", 100))
print(collect(source, target))
print((target / "code/closed/file").read_text())
"""


def test_rights_that_were_taken_hinder_nobody(source: Path, target: Path) -> None:
    command = as_ordinary_user(sys.executable, "-c", CLOSED, str(source), str(target))
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, third = done.stdout.splitlines()
    assert first == "None"
    assert "files=2" in second
    assert third == "kept"


def test_full_or_missing_target_is_told(source: Path, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file in the way")
    with pytest.raises(UnwritableFolderError, match="cannot be kept"):
        collect(source, tmp_path / "run")


def nest(folder: Path, depth: int) -> None:
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)


def test_deep_folders(source: Path, target: Path) -> None:
    nest(source / "code", 2000)
    collected = collect(source, target)
    assert [reason for _, reason in collected.left_out] == ["nested too deeply"]
    remove_tree(source)
    assert not source.exists()


def test_submission_is_read(tmp_path: Path) -> None:
    (tmp_path / "submission.csv").write_text("id\n")
    assert read_submission_safely(tmp_path, 3) == b"id\n"
    assert read_submission_safely(tmp_path, 2) is None
    assert read_submission_safely(tmp_path / "missing", 3) is None


def test_submission_that_is_none_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "a").mkdir()
    (tmp_path / "a/submission.csv").symlink_to(tmp_path / "secret")
    (tmp_path / "b").mkdir()
    os.mkfifo(tmp_path / "b/submission.csv")
    (tmp_path / "c/submission.csv").mkdir(parents=True)
    (tmp_path / "d").symlink_to(tmp_path / "c")
    for name in "abcd":
        assert read_submission_safely(tmp_path / name, 100) is None


def test_submission_that_changes_meanwhile_is_not_read(tmp_path: Path) -> None:
    """One byte is repeated in each version, so a mixture would show."""
    size = 300_000
    file = tmp_path / "submission.csv"
    file.write_bytes(b"a" * size)
    done = threading.Event()

    def write() -> None:
        letter = 0
        while not done.is_set():
            letter += 1
            file.write_bytes(bytes([97 + letter % 26]) * size)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        contents = [read_submission_safely(tmp_path, 10**6) for _ in range(300)]
    finally:
        done.set()
        thread.join()
    read = [content for content in contents if content]
    assert all(len(set(content)) == 1 for content in read)
