"""The record of a run group: what is written stays, and whatever is changed shows."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.errors import ConfigError, LedgerError
from mlebench.runs.group import RunGroup
from mlebench.runs.ledger import BEGINNING, Ledger, read_entries
from mlebench.runs.overviews import submission_lines
from mlebench.runs.specification import Specification
from mlebench.runs.verifying import verify


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A record of three lines."""
    path = tmp_path / "ledger.jsonl"
    with Ledger(path) as ledger:
        ledger.add("group", digest="d")
        ledger.add("started", "a_1", attempt=1)
        ledger.add("graded", "a_1", report={"score": 0.5})
    return path


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_what_was_added_is_read_again_in_order(path: Path) -> None:
    entries = [entry for entry, _ in read_entries(path)]
    assert [entry.kind for entry in entries] == ["group", "started", "graded"]
    assert entries[0].previous == BEGINNING
    assert entries[2].previous == entries[1].digest
    with Ledger(path) as ledger:
        assert ledger.head == entries[2].digest
        graded = ledger.last("graded", "a_1")
        assert graded is not None
        assert graded.facts == {"report": {"score": 0.5}}
        assert ledger.last("graded", "b_2") is None


def test_a_run_is_graded_once_also_by_the_next_process(path: Path) -> None:
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match="graded before"):
            ledger.add("graded", "a_1", report={"score": 0.9})
        ledger.add("graded", "b_2", report={"score": 0.1})
    assert len(lines_of(path)) == 4


@pytest.mark.parametrize("cut", [1, 20, 100])
def test_half_a_line_of_somebody_who_was_killed_is_taken_away(path: Path, cut: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with Ledger(path) as ledger:
        assert ledger.last("graded", "a_1") is None
        ledger.add("graded", "a_1", report={"score": 0.5})
    assert [entry["kind"] for entry in lines_of(path)] == ["group", "started", "graded"]


def test_every_change_of_a_single_byte_shows(path: Path) -> None:
    whole = path.read_bytes()
    for place in range(len(whole) - 1):
        changed = bytearray(whole)
        changed[place] ^= 1
        path.write_bytes(changed)
        with pytest.raises(LedgerError):
            list(read_entries(path))


def test_lines_removed_exchanged_added_or_written_anew_show(path: Path) -> None:
    first, second, third = path.read_bytes().splitlines(keepends=True)
    forged = json.loads(second)
    forged["facts"] = {"attempt": 9}
    for content in (
        [first, third],
        [second, third],
        [second, first, third],
        [first, second, second, third],
        [first, json.dumps(forged).encode() + b"\n", third],
        [first, b"\n", second, third],
        [first, b"[]\n"],
        [first, b"[" * 100_000 + b"\n"],
    ):
        path.write_bytes(b"".join(content))
        with pytest.raises(LedgerError, match=r"line \d"):
            list(read_entries(path))
        with pytest.raises(LedgerError):
            Ledger(path)


def test_threads_take_turns(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.jsonl") as ledger:
        threads = [
            threading.Thread(
                target=lambda name=name: [
                    ledger.add("validation", f"r_{name}", n=n) for n in range(20)
                ]
            )
            for name in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len([*read_entries(tmp_path / "ledger.jsonl")]) == 160


def test_a_record_that_cannot_be_kept_says_so_and_holds_no_half_line(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    with Ledger(path) as ledger:
        real = os.write

        def fail(handle: int, content: bytes) -> int:
            real(handle, content[:10])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "write", fail)
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.add("started", "b_2", attempt=1)
        monkeypatch.setattr(os, "write", real)
        assert path.read_bytes() == before
        ledger.add("started", "b_2", attempt=1)
    assert len([*read_entries(path)]) == 4


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_broken_and_nobody_waits_for_it(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    specification = Specification("a", "d", ("c",), 1, "v1", "process")
    group = RunGroup.create(tmp_path, "a", specification, {})
    for name in ("ledger.jsonl", "metadata.json", group.report_path.name):
        make(group.folder / name)
    with pytest.raises(LedgerError, match=r"ledger\.jsonl cannot be read: it is no regular file"):
        Ledger(group.folder / "ledger.jsonl")
    told = " ".join(verify(group).faults)
    assert "ledger.jsonl cannot be read: it is no regular file" in told
    assert "metadata.json cannot be read" in told
    assert f"{group.report_path.name} cannot be read" in told
    with pytest.raises(ConfigError, match="is no metadata"):
        list(submission_lines(group.folder / "metadata.json"))
