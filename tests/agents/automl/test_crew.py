"""A step that fails, hangs, bursts or kills itself costs only itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from mlebench.agents.automl.automl.crew import Crew, Outcome

PATIENCE = 60.0
MEGABYTE = 1024**2


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    several = Crew(2, 1024 * MEGABYTE, tmp_path)
    yield several
    several.stop()


def _done(crew: Crew, work: Callable[[], Any], seconds: float = PATIENCE) -> Outcome:
    crew.start("step", work, seconds)
    outcome = crew.wait(PATIENCE)
    assert outcome is not None
    return outcome


def test_what_a_step_returns_comes_back(crew: Crew) -> None:
    outcome = _done(crew, lambda: {"a": [1, 2.5]})
    assert (outcome.result, outcome.failure) == ({"a": [1, 2.5]}, None)


def test_an_error_is_told_with_its_place(crew: Crew) -> None:
    outcome = _done(crew, lambda: 1 / 0)
    assert outcome.failure is not None
    assert "ZeroDivisionError" in outcome.failure
    assert "test_crew.py" in outcome.failure


def test_a_step_that_takes_too_long_is_ended(crew: Crew) -> None:
    assert _done(crew, lambda: time.sleep(600), seconds=0.2).failure == "it took too long"


def test_a_step_that_dies_is_told(crew: Crew) -> None:
    outcome = _done(crew, lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert outcome.failure is not None
    assert "ended with status" in outcome.failure


def test_a_step_that_needs_too_much_memory_is_ended(tmp_path: Path) -> None:
    def burst() -> None:
        kept = []
        for _ in range(100):
            kept.append(b"x" * 10 * MEGABYTE)
            time.sleep(0.01)
        time.sleep(600)

    crew = Crew(1, 300 * MEGABYTE, tmp_path)
    assert _done(crew, burst).failure == "it needed too much memory"


def test_the_others_go_on(crew: Crew) -> None:
    crew.start("hangs", lambda: time.sleep(600), 600)
    assert _done(crew, lambda: "fine").result == "fine"
    assert crew.at_work == ["hangs"]
    crew.stop()
    assert crew.at_work == []


@pytest.mark.parametrize("is_anybody_at_work", [False, True])
def test_a_step_for_which_there_is_no_process_fails_alone(
    is_anybody_at_work: bool, crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError("no more processes")

    if is_anybody_at_work:
        crew.start("hangs", lambda: time.sleep(600), 600)
    with monkeypatch.context() as patched:
        patched.setattr(os, "fork", refuse)
        crew.start("refused", lambda: "fine", PATIENCE)
    assert crew.is_full is is_anybody_at_work
    outcome = crew.wait(0.1)
    assert outcome is not None
    assert outcome.name == "refused"
    assert "no more processes" in str(outcome.failure)
    assert _done(crew, lambda: "fine").result == "fine"


def test_a_result_that_cannot_be_read_is_a_failure(
    crew: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: bytes) -> None:
        raise MemoryError("too much")

    with monkeypatch.context() as patched:
        patched.setattr("pickle.loads", fail)
        assert "too much" in str(_done(crew, lambda: "large").failure)
    assert _done(crew, lambda: "fine").result == "fine"
