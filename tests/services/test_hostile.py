"""Whatever is sent, and whatever a checking process does: the service goes on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from mlebench.errors import CallRefusedError, ConfigError
from mlebench.registry import Registry
from mlebench.services.calls import UNEXPECTED, ValidationCall
from mlebench.services.limits import ServiceLimits
from mlebench.services.refused import RefusedCalls
from mlebench.services.turns import Crowd, FairTurns, Turnstile
from mlebench.services.validation import Door
from tests.services.client import (
    HEAD,
    TAIL,
    ask_raw,
    client,
    connect,
    form,
    head,
    post,
    read_answer,
)
from tests.services.conftest import ENDLESS, Host, hosting, uploads_left, wait_until

IMPATIENT = replace(
    ENDLESS,
    upload_bytes=100_000,
    kept_bytes=150_000,
    uploads=2,
    waiting=3,
    turn_seconds=2,
    pause_seconds=1,
    upload_seconds=3,
    idle_seconds=1,
    check_seconds=4,
    connections=40,
)


@pytest.fixture(scope="module")
def host(registry: Registry) -> Iterator[Host]:
    with hosting(registry, IMPATIENT) as made:
        yield made


@pytest.fixture
def door(host: Host) -> Iterator[Door]:
    """A door that works before and after, with nothing left."""
    with host.door() as door:
        assert post(door, host.sample()).json()["is_valid"]
        host.calls.clear()
        yield door
        assert post(door, host.sample()).json()["is_valid"]
        assert uploads_left(door) == []


@pytest.mark.parametrize(
    ("competition_id", "code"),
    [
        ("dies", "crashed"),
        ("leaves", "crashed"),
        ("hangs", "timeout"),
        ("devours", "out_of_memory"),
    ],
)
def test_a_lost_check_costs_its_own_call_only(host: Host, competition_id: str, code: str) -> None:
    with host.door(competition_id) as door, host.door() as other:
        answer = post(door, host.sample(competition_id))
        assert post(other, host.sample()).json()["is_valid"]
        assert uploads_left(door) == []
    assert answer.status_code == 500
    assert answer.json().keys() == {"error", "details"}
    assert answer.json()["error"] == UNEXPECTED
    lost, good = host.calls
    assert (lost.status, lost.code, lost.is_valid) == (500, code, None)
    assert (good.competition_id, good.is_valid) == ("spaceship-titanic", True)


def test_what_a_grader_says_of_answers_stays_here(
    host: Host, capfd: pytest.CaptureFixture[str]
) -> None:
    with host.door("betrays") as door:
        told = post(door, host.sample("betrays")).text
    assert "secret" not in told
    assert "secret" not in "".join(capfd.readouterr())


def test_places_of_the_host_are_not_named(host: Host) -> None:
    with host.door("names-places") as door:
        told = post(door, host.sample("names-places"))
    assert "wrong in <the host>" in told.json()["result"]
    assert str(host.registry.folder_of("names-places").parent) not in told.text


GARBAGE = {
    "no request": b"\x00\x01\x02 nonsense\r\n\r\n",
    "tls": bytes.fromhex("16030100f7010000f30303") + bytes(200),
    "bad length": head("many"),
    "negative length": head("-1"),
    "two lengths": head(5, "Content-Length: 6"),
    "huge header": head(5, "X-Long: " + "x" * 1_000_000),
    "bad chunks": head(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"zz\r\n",
}


@pytest.mark.parametrize("name", GARBAGE)
def test_what_is_no_request_is_told_so_in_json(door: Door, name: str) -> None:
    status, told = ask_raw(door, GARBAGE[name])
    assert status == 400
    assert told.keys() == {"error", "details"}


BODIES = {
    "nothing": b"",
    "no form": b"id,label\n",
    "another boundary": form(b"x").replace(b"cut-here", b"elsewhere"),
    "another field": form(b"x").replace(b'name="file"', b'name="other"'),
    "no name": form(b"x").replace(b'name="file"; ', b""),
    "half a header": HEAD[:30],
    "half a file": HEAD + b"id,label",
    "long part header": HEAD.replace(b"s.csv", b"s" * 50_000) + TAIL,
    "junk first": b"junk" * 1000 + form(b"x"),
}


@pytest.mark.parametrize("name", BODIES)
def test_what_is_no_file_is_told_so(host: Host, door: Door, name: str) -> None:
    status, told = ask_raw(door, head(len(BODIES[name])), BODIES[name])
    assert (status, told.keys()) == (400, {"error", "details"})
    assert [(call.status, call.is_valid) for call in host.calls] == [(400, None)]


def test_a_body_that_ends_early_is_no_submission(host: Host, door: Door) -> None:
    with connect(door) as connection:
        connection.sendall(head(100_000) + HEAD + host.sample())
    (call,) = wait_until(lambda: list(host.calls), lambda calls: len(calls) == 1)
    assert (call.status, call.code, call.is_valid) == (400, "incomplete_upload", None)


def test_a_slow_drip_is_cut_off(host: Host, door: Door) -> None:
    began = time.monotonic()
    with connect(door) as connection:
        connection.sendall(head(90_000) + HEAD)
        with contextlib.suppress(OSError):
            while time.monotonic() - began < 60 and not host.calls:
                connection.sendall(b"x")
                time.sleep(0.2)
        status, told = read_answer(connection)
    assert (status, told["error"]) == (408, "The upload took too long.")
    assert [call.code for call in host.calls] == ["upload_too_slow"]


@pytest.mark.parametrize("sent", [b"", b"POST /validate HTTP/1.1\r\nHost:"])
def test_who_asks_nothing_is_sent_away(door: Door, sent: bytes) -> None:
    with connect(door) as connection:
        connection.sendall(sent)
        assert connection.recv(1) == b""


@pytest.mark.parametrize("announced", [True, False])
def test_what_is_too_large_is_refused_while_it_comes(
    host: Host, door: Door, announced: bool
) -> None:
    body = form(b"x" * 2_000_000)
    if announced:
        status, told = ask_raw(door, head(len(body)), body)
    else:
        chunks = [b"%x\r\n%s\r\n" % (len(body), body), b"0\r\n\r\n"]
        beginning = head(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        status, told = ask_raw(door, beginning, *chunks)
    assert (status, told["error"]) == (413, "The file is too large.")
    (call,) = host.calls
    assert (call.status, call.code, call.sha256) == (413, "too_large", None)


def test_a_file_a_little_too_large_is_refused(host: Host, door: Door) -> None:
    assert post(door, b"x" * 100_001).status_code == 413
    assert post(door, b"x\n" * 50_000).status_code == 200


def test_a_thousand_connections(host: Host, door: Door) -> None:
    with contextlib.ExitStack() as many:
        refused = 0
        for _ in range(1000):
            connection = many.enter_context(connect(door))
            connection.setblocking(False)
        time.sleep(0.5)
        for _ in range(5):
            with connect(door) as late:
                refused += read_answer(late)[0] in (503, 0)
        assert refused == 5
    deadline = time.monotonic() + 60
    while True:
        with client(door) as room, contextlib.suppress(Exception):
            if room.get("/health").status_code == 200:
                break
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert host.calls == []


def test_who_fills_a_door_waits_alone(registry: Registry) -> None:
    limits = replace(ENDLESS, uploads=1, waiting=2, turn_seconds=3)
    with (
        hosting(registry, limits) as host,
        host.door() as crowded,
        host.door() as other,
        contextlib.ExitStack() as opened,
    ):
        lazy = opened.enter_context(connect(crowded))
        lazy.sendall(head(1000) + HEAD)
        wait_until(lambda: [*(crowded.path.parent.parent / "u").iterdir()], bool)
        waiting = [opened.enter_context(connect(crowded)) for _ in range(2)]
        for connection in waiting:
            connection.sendall(head(1000))
        crowd = host.service._crowd
        assert wait_until(lambda: crowd.waiting, lambda count: count == 2) == 2
        late = post(crowded, host.sample())
        assert post(other, host.sample()).json()["is_valid"]
        assert [read_answer(connection)[0] for connection in waiting] == [429, 429]
        lazy.close()
        assert post(crowded, host.sample()).json()["is_valid"]
    assert late.status_code == 503
    assert int(late.headers["retry-after"]) > 0
    codes = {call.code: call.status for call in host.calls}
    assert codes == {
        None: 200,
        "too_busy": 503,
        "too_many_at_once": 429,
        "incomplete_upload": 400,
    }
    assert len(host.calls) == 6


def test_pipelined_requests_are_answered_in_order(host: Host, door: Door) -> None:
    sample = host.sample()
    with connect(door) as connection:
        for content in (sample, b"a\n1\n", sample):
            body = form(content)
            connection.sendall(head(len(body)) + body)
        verdicts = [_next_verdict(connection) for _ in range(3)]
    assert verdicts == [True, False, True]


def _next_verdict(connection: socket.socket) -> bool:
    """The verdict in the next answer, taking no byte more."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        received += connection.recv(1)
    length = int(received.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
    body = b""
    while len(body) < length:
        body += connection.recv(length - len(body))
    return b'"is_valid":true' in body


def test_calls_a_minute_are_counted(registry: Registry) -> None:
    limits = replace(ENDLESS, calls_per_minute=2)
    with hosting(registry, limits) as host, host.door() as door, host.door() as other:
        answers = [post(door, b"") for _ in range(4)]
        assert post(other, b"").status_code == 200
    assert [answer.status_code for answer in answers][:2] == [200, 200]
    assert answers[3].status_code == 429
    assert 1 <= int(answers[3].headers["retry-after"]) <= 30
    assert [call.status for call in host.calls].count(429) >= 1
    assert len(host.calls) == 5


def test_calls_over_the_rate_are_recorded_together(registry: Registry) -> None:
    limits = replace(ENDLESS, calls_per_minute=0.1)
    with hosting(registry, limits) as host:
        with host.door() as door:
            assert [post(door, b"").status_code for _ in range(30)] == [200, *[429] * 29]
        assert [call.calls for call in host.calls] == [1, 1, 28]
        assert [call.code for call in host.calls][1:] == ["rate_limited"] * 2


def test_calls_over_the_rate_are_recorded_once_a_minute() -> None:
    now = 0.0
    call = ValidationCall("now", "some", None, 0, None, "rate_limited", 0.0, 429)
    refused = RefusedCalls(lambda: now)
    assert refused.rest() is None
    assert refused.add(call) == call
    assert [refused.add(call) for _ in range(5)] == [None] * 5
    now = 61.0
    assert refused.add(call) == replace(call, calls=6)
    assert refused.rest() is None


def test_calls_may_come_again_as_time_goes_by() -> None:
    now = 0.0
    turnstile = Turnstile(ServiceLimits(calls_per_minute=60), Crowd(), lambda: now)
    for _ in range(60):
        turnstile.count()
    with pytest.raises(CallRefusedError) as refused:
        turnstile.count()
    assert refused.value.retry_after == 1
    now = 2.0
    turnstile.count()
    turnstile.count()
    with pytest.raises(CallRefusedError):
        turnstile.count()


@pytest.mark.parametrize("wrong", [{"uploads": 0}, {"upload_seconds": float("inf")}, {"memory": 0}])
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ConfigError):
        ServiceLimits(**wrong)  # type: ignore[arg-type]


def test_doors_take_turns_with_checks() -> None:
    """One door's many calls wait for each other, and give up their places when they go."""

    async def take_turns() -> list[str]:
        turns, entered = FairTurns(2, 1), []

        async def enter(door: str) -> Callable[[], None]:
            leave = await turns.enter(door)
            entered.append(door)
            return leave

        greedy = [asyncio.create_task(enter("greedy")) for _ in range(4)]
        await asyncio.sleep(0)
        others = [asyncio.create_task(enter(door)) for door in ("a", "b", "a")]
        await asyncio.sleep(0)
        greedy[1].cancel()
        (await others[0])()
        (await others[1])()
        (await greedy[0])()
        (await others[2])()
        (await greedy[2])()
        (await greedy[3])()
        await turns.enter("greedy")
        await turns.enter("a")
        return entered

    entered = asyncio.run(asyncio.wait_for(take_turns(), 60))
    assert entered[:2] == ["greedy", "a"]
    assert entered.index("b") == 2
    assert sorted(entered) == ["a", "a", "b", "greedy", "greedy", "greedy"]


def test_slow_checks_of_one_door_delay_no_other(registry: Registry) -> None:
    """Checks that hang take one process; whoever hangs up has nothing more checked."""
    limits = replace(ENDLESS, check_seconds=10_000)
    body = form(b"id,label\n1,0\n")
    with (
        hosting(registry, limits) as host,
        host.door("hangs") as greedy,
        host.door() as other,
        contextlib.ExitStack() as opened,
    ):
        connections = [opened.enter_context(connect(greedy)) for _ in range(4)]
        for connection in connections:
            connection.sendall(head(len(body)) + body)
        folder = greedy.path.parent.parent / "u"
        wait_until(lambda: [*folder.iterdir()], lambda found: len(found) == 4)
        assert post(other, host.sample()).json()["is_valid"]
        for connection in connections:
            connection.close()
        calls = wait_until(lambda: list(host.calls), lambda calls: len(calls) == 5)
        assert uploads_left(greedy) == []
    assert sorted(call.code or "" for call in calls) == ["", *["caller_gone"] * 4]
