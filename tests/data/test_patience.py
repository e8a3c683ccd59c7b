"""How long servers are waited for."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from mlebench.data import patience as waiting
from mlebench.data.patience import LONGEST_WAIT, Attempts, Patience, asked_to_wait
from mlebench.errors import UnavailableError


def test_waits_grow_to_a_limit_and_are_told(
    waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    attempts = Attempts(Patience(tries=12, total_seconds=1e6, wait=waits.append))
    with caplog.at_level(logging.WARNING):
        for _ in range(11):
            attempts.wait_after(UnavailableError("Busy."))
    for number, seconds in enumerate(waits):
        least = min(LONGEST_WAIT, 2**number)
        assert least <= seconds <= 1.5 * least
    assert "Busy. Trying again in 2 seconds (2 of 12)." in caplog.messages
    assert len(caplog.messages) == 11


def test_tries_come_to_an_end(waits: list[float]) -> None:
    attempts = Attempts(Patience(tries=3, wait=waits.append))
    attempts.wait_after(UnavailableError("Busy."))
    attempts.wait_after(UnavailableError("Busy."))
    with pytest.raises(
        UnavailableError, match=r"^Busy\. This was tried 3 times\. Try again later\.$"
    ) as caught:
        attempts.wait_after(UnavailableError("Busy."))
    assert len(waits) == 2
    with pytest.raises(UnavailableError, match=r"^Busy\. This was tried 3 times"):
        Attempts(Patience(wait=waits.append)).wait_after(caught.value)
    assert len(waits) == 2


def test_progress_gives_all_tries_again(waits: list[float]) -> None:
    attempts = Attempts(Patience(tries=2, wait=waits.append))
    for _ in range(5):
        attempts.wait_after(UnavailableError("Busy."))
        attempts.forget()
    assert len(waits) == 5


def test_a_server_that_asks_for_too_long_is_not_waited_for(waits: list[float]) -> None:
    attempts = Attempts(Patience(total_seconds=900, wait=waits.append))
    attempts.wait_after(UnavailableError("Busy.", 600))
    with pytest.raises(UnavailableError, match=r"^Busy\. Try again in 10 minutes or later\.$"):
        attempts.wait_after(UnavailableError("Busy.", 600))
    assert waits == [600]


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [("7", 7), (" 0 ", 0), ("-3", 0), ("soon", None), ("", None), ("inf", None), ("nan", None)],
)
def test_what_a_server_asks_for(stated: str, seconds: float | None) -> None:
    assert asked_to_wait({"Retry-After": stated}) == seconds


def test_a_server_may_ask_for_a_date() -> None:
    now = datetime.now(UTC)
    asked = asked_to_wait({"Retry-After": format_datetime(now + timedelta(hours=1), usegmt=True)})
    assert asked is not None
    assert 3000 < asked <= 3600
    assert asked_to_wait({"Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"}) == 0
    assert asked_to_wait({}) is None


@pytest.mark.parametrize(
    "stated",
    [
        "Mon, 01 Jan 99999999999999999999 00:00:00 GMT",
        "Mon, 01 Jan 2024 00:00:00 +9999999999",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        ", ",
    ],
)
def test_a_date_that_nobody_can_mean(stated: str) -> None:
    asked = asked_to_wait({"Retry-After": stated})
    assert asked is None or asked >= 0


def test_the_usual_wait_can_be_replaced_and_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(waiting, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Attempts(Patience()).wait_after(UnavailableError("Busy."))
