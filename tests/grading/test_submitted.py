"""Reading a submitted file once, and refusing what is none before it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from mlebench.errors import InvalidSubmissionError, UnreadableFileError
from mlebench.grading import submitted, widths
from mlebench.grading.single import grade_csv
from mlebench.grading.submitted import is_submission, read_submitted
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

MOST_BYTES = 10_000


@pytest.fixture
def competition(graders: Registry) -> Competition:
    return graders.get_competition("plain")


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "submission.csv"
    copy.write_bytes(sample.read_bytes())
    return copy


def refusal(path: Path, competition: Competition) -> str:
    with pytest.raises(InvalidSubmissionError) as caught:
        read_submitted(path, competition, MOST_BYTES)
    return caught.value.code


def test_content_and_digest_are_of_one_reading(path: Path, competition: Competition) -> None:
    found = read_submitted(path, competition, MOST_BYTES)
    digest = found.sha256
    path.write_text("something else")
    assert grade_csv(path, competition).submission_sha256 != digest == found.sha256


def append(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def cut(path: Path) -> None:
    os.truncate(path, 5)


def rewrite(path: Path) -> None:
    before = path.stat()
    path.write_bytes(path.read_bytes()[::-1])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


@pytest.mark.parametrize("change", [append, cut, rewrite])
def test_a_file_that_changes_meanwhile_is_nobodys_fault(
    change: Callable[[Path], None],
    path: Path,
    competition: Competition,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chunks = submitted._chunks

    def disturbed(handle: int, size: int, most_bytes: int) -> Iterable[bytes]:
        change(path)
        return chunks(handle, size, most_bytes)

    monkeypatch.setattr(submitted, "_chunks", disturbed)
    with pytest.raises(UnreadableFileError, match="changed"):
        read_submitted(path, competition, MOST_BYTES)


def test_a_growing_file_is_not_read_without_end(
    path: Path, competition: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = os.read

    def grow(handle: int, count: int) -> bytes:
        append_much = b"1,2\n" * 100
        with path.open("ab") as file:
            file.write(append_much)
        return read(handle, count)

    monkeypatch.setattr(os, "read", grow)
    with pytest.raises(UnreadableFileError, match="changed"):
        read_submitted(path, competition, MOST_BYTES)


def test_size_counts_before_content(tmp_path: Path, competition: Competition) -> None:
    for name, size, code in (("long", MOST_BYTES + 1, "too_large"), ("holes", 5000, "encoding")):
        path = tmp_path / f"{name}.csv"
        path.write_bytes(b"id\n")
        os.truncate(path, size)
        assert refusal(path, competition) == code


@pytest.mark.parametrize(
    ("header", "is_refused"),
    [
        ("a" + ",a" * 60_000, True),
        ('\n\n"a\nb"' + ",a" * 60_000, True),
        ('"a""' + '"",",' * 60_000, True),
        ("a" + ",a" * 40_000, False),
        ("a\r" + "1,2\r" * 60_000, False),
        ("a" * (1 << 24), True),
        ('"' + "\n" * 100_000, False),
    ],
)
def test_absurdly_many_columns_are_refused_unread(
    tmp_path: Path, competition: Competition, header: str, is_refused: bool
) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(header + "\n")
    if is_refused:
        with pytest.raises(InvalidSubmissionError) as caught:
            read_submitted(path, competition, 10**8)
        assert caught.value.code == "too_wide"
    else:
        read_submitted(path, competition, 10**8)


def test_as_many_columns_as_the_sample_has_are_none_too_many(
    tmp_path: Path, competition: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(widths, "MOST_MORE_COLUMNS", 3)
    own = competition.sample_submission.read_text().splitlines()[0]
    path = tmp_path / "wide.csv"
    path.write_text(f"{own},b,c,d\n")
    read_submitted(path, competition, MOST_BYTES)
    path.write_text(f"{own},b,c,d,e\n")
    assert refusal(path, competition) == "too_wide"


def test_an_empty_file_is_left_to_the_checks(tmp_path: Path, competition: Competition) -> None:
    path = tmp_path / "empty.csv"
    path.touch()
    assert read_submitted(path, competition, MOST_BYTES).content == b""
    assert grade_csv(path, competition).error["code"] == "empty_file"


def test_links_to_private_data_are_refused(
    tmp_path: Path, competition: Competition, graders: Registry
) -> None:
    soft, hard, folder = (tmp_path / name for name in ("soft.csv", "hard.csv", "folder"))
    soft.symlink_to(competition.answers)
    os.link(competition.answers, hard)
    folder.symlink_to(competition.private_dir)
    other = tmp_path / "other.csv"
    other.symlink_to(graders.get_competition("prints").answers)
    for path in (soft, hard, folder / competition.answers.name, other):
        assert refusal(path, competition) == "private_file"


def test_a_private_file_named_openly_is_graded(competition: Competition) -> None:
    assert grade_csv(competition.gold_submission, competition).valid_submission


def test_links_to_public_data_are_welcome(tmp_path: Path, competition: Competition) -> None:
    path = tmp_path / "link.csv"
    path.symlink_to(competition.sample_submission)
    assert grade_csv(path, competition).valid_submission


@pytest.mark.parametrize("name", ["x" * 300 + ".csv", "a\0b.csv", "\ud800.csv", "none.csv", ".csv"])
def test_names_that_no_file_has(name: str, tmp_path: Path) -> None:
    assert not is_submission(tmp_path / name)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path, competition: Competition) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert not is_submission(pipe)
    with pytest.raises(UnreadableFileError, match="regular"):
        read_submitted(pipe, competition, MOST_BYTES)
