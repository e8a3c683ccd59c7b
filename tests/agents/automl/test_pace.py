"""Time is shared out among tasks, so that the last has as much as the first."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mlebench.agents.automl.automl import pace

from .conftest import StoppedClock


def _shares(
    clock: StoppedClock, tasks: int, between: float = 0.0, using: float = 0.0
) -> list[float]:
    """How long each task has that takes all it is given."""
    paced, shares = pace.Pace(tasks), []
    for _ in range(tasks):
        clock.now += between
        with paced.task(using) as until:
            shares.append(until - clock.now)
            clock.now = until * (1 + using) - clock.now * using
    return shares


def test_tasks_have_about_the_same_time_and_end_together(clock: StoppedClock) -> None:
    shares = _shares(clock, 5)
    assert shares == sorted(shares)  # what is kept back goes to those that follow
    assert max(shares) < 2 * min(shares)
    assert 0 < pace.seconds_left() < 30


def test_what_passes_between_tasks_is_set_aside(clock: StoppedClock) -> None:
    shares = _shares(clock, 5, between=8)
    assert min(shares) > 0
    assert pace.seconds_left() > 0


def test_what_using_the_result_takes_is_set_aside(clock: StoppedClock) -> None:
    _shares(clock, 3, using=1.0)
    assert pace.seconds_left() > 0


def test_who_is_late_is_given_nothing(clock: StoppedClock) -> None:
    clock.now += 200
    assert _shares(clock, 1) == [0.0]


@pytest.mark.parametrize(("seconds", "is_time"), [(0.01, True), (0.05, False)])
def test_whether_there_is_time_is_found_out_with_a_few(
    clock: StoppedClock, seconds: float, is_time: bool
) -> None:
    done = []

    def work(things: Sequence[int]) -> None:
        done.extend(things)
        clock.now += seconds * len(things)

    assert pace.is_time_for(work, range(2000)) is is_time
    assert len({*done}) == len(done) / 2 == 200
    clock.now += 100
    assert not pace.is_time_for(work, range(2000))
    assert len(done) == 400  # nothing more is begun
