"""How far preparations are, as it is told: no clock but the tests' own."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from mlebench.cli.progress import Events, LogLines
from mlebench.data.notes import Notes, NotingWatcher

GIGABYTE = 10**9
MEGABYTE = 10**6


class Clock:
    """Shows what it is set to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


class TestLogLines:
    """Speed and time left are those of this process, from the first bytes that it counts."""

    @pytest.fixture
    def lines(self, caplog: pytest.LogCaptureFixture, clock: Clock) -> LogLines:
        caplog.set_level(logging.INFO, logger="mlebench")
        return LogLines(clock)

    def test_what_was_there_is_no_speed(
        self, lines: LogLines, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        lines.stage("mine", "download")
        lines.advance("mine", 50 * GIGABYTE, 50 * GIGABYTE + 616 * MEGABYTE)
        clock.now += 16
        lines.advance("mine", 50 * GIGABYTE + 16 * MEGABYTE, 50 * GIGABYTE + 616 * MEGABYTE)
        assert caplog.messages == [
            "mine: download",
            "mine: download 50,016.0 MB of 50,616.0 MB, 1.0 MB/s, 10 min left",
        ]

    def test_what_is_thrown_away_is_no_speed(
        self, lines: LogLines, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        lines.stage("mine", "download")
        lines.advance("mine", 50 * GIGABYTE, None)
        clock.now += 16
        lines.advance("mine", 0, None)
        clock.now += 20
        lines.advance("mine", 40 * MEGABYTE, None)
        assert caplog.messages[1:] == ["mine: download 0.0 MB", "mine: download 40.0 MB, 2.0 MB/s"]

    def test_now_and_then(
        self, lines: LogLines, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        lines.stage("mine", "extract")
        for done in range(40):
            lines.advance("mine", done * MEGABYTE, None)
            clock.now += 1
        lines.stage("mine", "prepare")
        lines.end("mine")
        assert caplog.messages == [
            "mine: extract",
            "mine: extract 15.0 MB, 1.0 MB/s",
            "mine: extract 30.0 MB, 1.0 MB/s",
            "mine: prepare",
        ]


def told(capsys: pytest.CaptureFixture[str]) -> list[str | tuple[int, int | None]]:
    """Stages by name, and what was counted in them."""
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert {event["competition_id"] for event in events} <= {"mine"}
    return [
        event["stage"] if event["event"] == "stage" else (event["done"], event["total"])
        for event in events
    ]


class TestEvents:
    """Once a second, and at the end of a stage, whoever knew the total."""

    @pytest.mark.parametrize("total", [9, None])
    def test_the_last_count_is_told(
        self, total: int | None, clock: Clock, capsys: pytest.CaptureFixture[str]
    ) -> None:
        events = Events(clock)
        events.stage("mine", "extract")
        for done in range(1, 10):
            events.advance("mine", done, total)
            clock.now += 0.25
        events.stage("mine", "prepare")
        events.end("mine")
        assert told(capsys) == ["extract", (1, total), (5, total), (9, total), "prepare"]

    def test_also_where_a_stage_is_the_last(
        self, clock: Clock, capsys: pytest.CaptureFixture[str]
    ) -> None:
        events = Events(clock)
        events.stage("mine", "download")
        events.advance("mine", 1, None)
        events.advance("mine", 2, None)
        events.end("mine")
        assert told(capsys) == ["download", (1, None), (2, None)]


class Listener:
    """Remembers what it is told of one competition."""

    def __init__(self) -> None:
        self.told: list[str | tuple[int, int | None]] = []

    def stage(self, competition_id: str, name: str) -> None:
        self.told.append(name)

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        self.told.append((done, total))

    def end(self, competition_id: str) -> None:
        self.told.append("end")


class TestNotes:
    """Whoever looks seldom misses counts on the way, but no stage and no last count."""

    @pytest.mark.parametrize("total", [3, None])
    def test_nothing_that_is_over_is_missed(
        self, total: int | None, tmp_path: Path, clock: Clock
    ) -> None:
        listener = Listener()
        notes, watcher = Notes(listener, tmp_path), NotingWatcher(tmp_path, "mine", clock)
        watcher.stage("extract")
        notes.look()
        for done in (1, 2, 3):
            watcher.advance(done, total)
        watcher.stage("prepare")
        watcher.stage("check")
        notes.end("mine")
        notes.look()
        assert listener.told == ["extract", (3, total), "prepare", "check", "end"]

    def test_counts_on_the_way_are_told_as_well(self, tmp_path: Path, clock: Clock) -> None:
        listener = Listener()
        notes, watcher = Notes(listener, tmp_path), NotingWatcher(tmp_path, "mine", clock)
        watcher.stage("extract")
        for done in (1, 2, 3):
            clock.now += 1
            watcher.advance(done, 4)
            notes.look()
            notes.look()
        assert listener.told == ["extract", (1, 4), (2, 4), (3, 4)]

    def test_a_second_try_begins_anew(self, tmp_path: Path, clock: Clock) -> None:
        listener = Listener()
        notes = Notes(listener, tmp_path)
        for _ in range(2):
            watcher = NotingWatcher(tmp_path, "mine", clock)
            watcher.stage("download")
            notes.look()
            watcher.stage("extract")
            notes.look()
        assert listener.told == ["download", "extract"] * 2
