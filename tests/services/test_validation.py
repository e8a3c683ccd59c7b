"""The validation service: the verdicts of `validate` over sockets, and a record of each call."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mlebench.data.layout import MANIFEST_FILE
from mlebench.errors import CannotStartError, ConfigError, NotPreparedError, UnknownCompetitionError
from mlebench.grading.validation import VALID_MESSAGE, validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.services.validation import ValidationCall, ValidationService
from tests.competitions.answers import Change, with_labels
from tests.conftest import Prepared
from tests.leftovers import watched
from tests.services.client import client, connect, form, head, post, read_answer
from tests.services.conftest import BUILT_IN, Host, hosting, uploads_left


def test_health(host: Host) -> None:
    with host.door() as door, client(door) as room:
        answer = room.get("/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "running"})
    assert host.calls == []


@pytest.mark.parametrize("headers", [{}, {"exp-id": "spaceship-titanic"}, {"exp-id": "no such"}])
def test_both_dialects_get_what_they_look_for(host: Host, headers: dict[str, str]) -> None:
    with host.door() as door:
        good = post(door, host.sample(), headers=headers)
        bad = post(door, b"PassengerId\n", headers=headers)
    assert (good.status_code, bad.status_code) == (200, 200)
    assert good.json() == {"result": VALID_MESSAGE, "is_valid": True, "errors": []}
    told = bad.json()
    assert told["result"].startswith("Submission invalid! The attempt to grade")
    assert told["is_valid"] is False
    (error,) = told["errors"]
    assert error.keys() == {"code", "message", "column", "rows"}
    assert (error["code"], error["column"]) == ("missing_column", "Transported")


@pytest.mark.filterwarnings("ignore:The csv file .* is empty")  # says what validates here
@pytest.mark.parametrize("competition_id", [*BUILT_IN, "mine"])
def test_the_verdict_is_that_of_validate(host: Host, competition_id: str, tmp_path: Path) -> None:
    competition = host.registry.get_competition(competition_id)
    sample = host.sample(competition_id)
    lines = sample.splitlines(keepends=True)
    damaged = {
        "as it is": sample,
        "empty": b"",
        "no rows": lines[0],
        "one row less": b"".join(lines[:-1]),
        "a row twice": b"".join([*lines, lines[-1]]),
        "nonsense": b"\x00\xff\n\x01",
        "another header": b"a,b\n" + b"".join(lines[1:]),
        "values": lines[0] + b"".join(line.split(b",")[0] + b",?\n" for line in lines[1:]),
    }
    with host.door(competition_id) as door:
        for name, content in damaged.items():
            path = tmp_path / "submission.csv"
            path.write_bytes(content)
            wanted = validate(path, competition)
            told = post(door, content).json()
            errors = [wanted.error] if wanted.error else []
            assert told == {
                "result": wanted.result,
                "is_valid": wanted.is_valid,
                "errors": json.loads(json.dumps(errors)),
            }, name
    assert len(host.calls) == len(damaged)
    assert any(call.is_valid for call in host.calls)
    assert not all(call.is_valid for call in host.calls)


def test_each_call_is_recorded_once(host: Host) -> None:
    sample = host.sample()
    with host.door() as door:
        post(door, sample)
        post(door, b"a\n1\n")
        with client(door) as room:
            room.post("/validate", content=b"?")
            room.get("/validate")
            room.post("/validat", content=b"?")
        assert uploads_left(door) == []
    good, bad, refused = host.calls
    assert good.competition_id == "spaceship-titanic"
    assert (good.sha256, good.size) == (hashlib.sha256(sample).hexdigest(), len(sample))
    assert (good.is_valid, good.code, good.status) == (True, None, 200)
    assert (bad.is_valid, bad.code, bad.status) == (False, "missing_column", 200)
    assert (refused.is_valid, refused.code, refused.status) == (None, "missing_file", 400)
    assert refused.sha256 is None
    assert datetime.fromisoformat(good.time).utcoffset() == timedelta(0)
    assert 0 < good.seconds < 600


def test_a_record_that_fails_costs_no_answer(host: Host, caplog: pytest.LogCaptureFixture) -> None:
    def fail(call: ValidationCall) -> None:
        raise OSError("the disk is full")

    door = host.service.open_door("spaceship-titanic", fail)
    try:
        assert post(door, host.sample()).json()["is_valid"]
    finally:
        door.close()
    assert "could not be recorded" in caplog.text


def test_each_of_fifty_clients_gets_its_own_verdict(host: Host) -> None:
    sample = host.sample()
    header, *rows = sample.decode().splitlines()
    names = [f"column-{number}" for number in range(50)]
    # Every second one is valid, all others lack a column of their own name.
    contents = [
        sample if number % 2 else f"{name}\n{number}\n".encode()
        for number, name in enumerate(names)
    ]
    with host.door() as first, host.door() as second, ThreadPoolExecutor(50) as rooms:
        doors = [first, second] * 25
        answers = list(rooms.map(post, doors, contents))
    for number, (name, answer) in enumerate(zip(names, answers, strict=True)):
        told = answer.json()
        assert told["is_valid"] is bool(number % 2)
        assert told["is_valid"] or name in told["result"]
    assert len(host.calls) == 50
    digests = sorted(hashlib.sha256(content).hexdigest() for content in contents)
    assert sorted(str(call.sha256) for call in host.calls) == digests
    assert header
    assert rows


def test_doors_know_their_competition_and_close_alone(host: Host) -> None:
    with host.door("spaceship-titanic") as titanic, host.door("random-acts-of-pizza") as pizza:
        assert post(titanic, host.sample("spaceship-titanic")).json()["is_valid"]
        assert not post(pizza, host.sample("spaceship-titanic")).json()["is_valid"]
        titanic.close()
        titanic.close()
        assert not titanic.path.exists()
        assert post(pizza, host.sample("random-acts-of-pizza")).json()["is_valid"]


def test_sockets_are_for_everybody_in_a_folder_for_nobody(host: Host) -> None:
    with host.door() as door:
        assert stat.S_IMODE(door.path.stat().st_mode) == 0o666
        for folder in (door.path.parent, door.path.parent.parent):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_long_temporary_folder_does_not_matter(
    registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("long" * 25)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with hosting(registry) as host, host.door() as door, client(door) as room:
        assert room.get("/health").status_code == 200
        assert len(os.fsencode(door.path)) < 108


def test_what_is_not_prepared_gets_no_door(registry: Registry, host: Host) -> None:
    with pytest.raises(NotPreparedError):
        host.service.open_door("leaf-classification", print)
    with pytest.raises(UnknownCompetitionError):
        host.service.open_door("no-such", print)


def test_no_workers_no_service(registry: Registry) -> None:
    with pytest.raises(ConfigError):
        ValidationService(registry, workers=0)


def test_missing_libraries_are_named(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "uvicorn", None)
    with pytest.raises(ConfigError, match=r"pip install 'mlebench\[services\]'"):
        ValidationService(registry)


@pytest.fixture
def own_data(prepared: Prepared, tmp_path: Path) -> Competition:
    """Data as the original prepares them, of which nobody knows what they were like."""
    competition = prepared("spaceship-titanic")
    shutil.copytree(competition.data_dir, tmp_path / "data" / competition.id)
    own = Registry(tmp_path / "data", ()).get_competition(competition.id)
    (own.prepared_dir / MANIFEST_FILE).unlink()
    return own


def test_labels_do_not_matter_and_nothing_of_them_is_said(
    own_data: Competition, tmp_path: Path
) -> None:
    changes: tuple[Change, ...] = (lambda labels: labels, lambda labels: ["secret"] * len(labels))
    sample = own_data.sample_submission.read_bytes()
    contents = (sample, sample[:-20], b"", b"PassengerId,Transported\nx,True\n", sample * 2)
    told = []
    with hosting(Registry(tmp_path / "data", ())) as host, host.door() as door:
        for change in changes:
            shutil.copyfile(with_labels(own_data, change, tmp_path / "changed"), own_data.answers)
            told.append([post(door, content).text for content in contents])
    assert "secret" in own_data.answers.read_text()
    assert told[0] == told[1]
    assert "secret" not in "".join(told[1])


def test_data_that_were_prepared_again_are_noticed(own_data: Competition, tmp_path: Path) -> None:
    lines = own_data.answers.read_bytes().splitlines(keepends=True)
    sample = own_data.sample_submission.read_bytes()
    with hosting(Registry(tmp_path / "data", ())) as host, host.door() as door:
        verdicts = []
        for kept in (lines, lines[:-1], lines):
            own_data.answers.write_bytes(b"".join(kept))
            verdicts += [post(door, sample).json()["is_valid"] for _ in range(3)]
    assert verdicts == [True] * 3 + [False] * 3 + [True] * 3


def test_the_service_ends_while_somebody_sends(registry: Registry) -> None:
    before = {*threading.enumerate()}
    with watched() as watch:
        with hosting(registry) as host:
            door = host.service.open_door("spaceship-titanic", host.calls.append)
            post(door, host.sample())
            connection = connect(door)
            connection.sendall(head(1000) + form(b"half a file")[:120])
            deadline = time.monotonic() + 60
            while not list((door.path.parent.parent / "u").iterdir()):
                assert time.monotonic() < deadline
            began = time.monotonic()
        assert time.monotonic() - began < 60
        assert watch.left_after(20) == []
    status, told = read_answer(connection)
    connection.close()
    assert (status, told["details"]) == (503, "The service ends.")
    assert [call.code for call in host.calls] == [None, "closed"]
    assert {*threading.enumerate()} <= before
    with pytest.raises(CannotStartError):
        host.service.open_door("spaceship-titanic", print)
