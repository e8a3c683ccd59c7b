"""Whatever goes wrong on the way, the best of what was found is what is left."""

from __future__ import annotations

import gc
import json
import os
import signal
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl import amount, course, work
from mlebench.agents.automl.automl.clock import Clock
from mlebench.agents.automl.automl.crew import Crew, Outcome
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.journal import Journal
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.places import Places
from mlebench.agents.automl.automl.planning.step import Step
from mlebench.agents.automl.automl.problem import Prediction, Problem
from mlebench.agents.automl.automl.store import Store
from mlebench.agents.automl.automl.submitting import Submitter

from .conftest import Room, StoppedClock

ROWS = 200
PATIENCE = 60


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A table whose target is a column with some noise."""
    chance = np.random.default_rng(0)
    folder = tmp_path / "data"
    folder.mkdir()
    known = chance.normal(size=ROWS)
    table = pd.DataFrame({"id": range(ROWS), "a": known, "b": chance.normal(size=ROWS)})
    target = known + chance.normal(0, 0.1, ROWS)
    table[:150].assign(y=target[:150]).to_csv(folder / "train.csv", index=False)
    table[150:].to_csv(folder / "test.csv", index=False)
    pd.DataFrame({"id": range(150, ROWS), "y": 0.0}).to_csv(
        folder / "sample_submission.csv", index=False
    )
    (folder / "description.md").write_text("The score is the root mean squared error.")
    return folder


def _notes(room: Room) -> list[dict[str, Any]]:
    return _notes_of(room.folder / "logs")


def _notes_of(logs: Path) -> list[dict[str, Any]]:
    lines = (logs / "journal.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def _noisy(problem: Any, spread: float, seed: int) -> Prediction:
    chance = np.random.default_rng(seed)
    held_out = problem.target + chance.normal(0, spread, problem.target.shape)
    return Prediction(held_out, np.full((len(problem.test), 1), spread))


@pytest.fixture
def places(data: Path, tmp_path: Path) -> Places:
    for name in ("submission", "logs"):
        (tmp_path / name).mkdir()
    environment = {
        "DATA_DIR": data, "SUBMISSION_DIR": tmp_path / "submission", "LOGS_DIR": tmp_path / "logs",
        "AGENT_DIR": tmp_path / "agent", "TIME_LIMIT_SECS": 36_000,
    }  # fmt: skip
    (tmp_path / "agent").mkdir()
    return Places.from_environment({name: str(value) for name, value in environment.items()})


def _noises(problem: Problem, *spreads: float) -> list[Step]:
    """Models that are off by so much, and predict just that."""
    return [
        Step(f"noise {spread}", lambda s=spread, n=seed: _noisy(problem, s, n))
        for seed, spread in enumerate(spreads)
    ]


def _tried(
    problem: Problem,
    places: Places,
    plan: list[Step],
    monkeypatch: pytest.MonkeyPatch,
    limits: course.Limits | None = None,
) -> list[dict[str, Any]]:
    """What the journal tells of a course that tries some steps."""
    pytest.importorskip("lightgbm")
    monkeypatch.setattr(course, "steps", lambda _: iter(plan))
    places = replace(places, cores=1)  # one after the other
    clock = Clock(places.seconds)
    journal = Journal(places.logs, clock)
    begun = course.Course(problem, places, clock, journal, Submitter(places, journal))
    begun.run(limits or course.Limits())
    return _notes_of(places.logs)


def test_where_blends_fail_the_best_model_is_submitted_alone(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)

    def fail(*_: object) -> None:
        raise MemoryError("blends are too much")

    monkeypatch.setattr(course, "best_blend", fail)
    notes = _tried(problem, places, _noises(problem, 0.5, 0.3, 0.1, 0.4), monkeypatch)
    assert pd.read_csv(places.submission)["y"].tolist() == [0.1] * 50
    assert (notes[-1]["kind"], notes[-1]["origin"]) == ("end", "noise 0.1")


@pytest.mark.parametrize("is_read", [True, False])
def test_what_fails_outside_steps_costs_only_one_of_them(
    is_read: bool, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)
    write, load = problem.write, Store.load

    def write_some(finished: Any) -> pd.DataFrame:
        if finished[0, 0] == 0.5:
            raise MemoryError("too much to write")
        return write(finished)

    def load_some(store: Store, name: str) -> Any:
        if name == "prediction noise 0.5":
            raise OSError("the disk is gone")
        return load(store, name)

    if is_read:
        problem = replace(problem, write=write_some)
    else:
        monkeypatch.setattr(Store, "load", load_some)
    notes = _tried(problem, places, _noises(problem, 0.5, 0.1), monkeypatch)
    failures = [note["reason"] for note in notes if note["kind"] == "failure"]
    assert any(("too much to write" if is_read else "the disk is gone") in one for one in failures)
    assert notes[-1]["kind"] == "end"
    assert notes[-1]["score"] < 0.2


def test_what_takes_long_to_write_is_not_begun_too_late(
    places: Places, clock: StoppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)
    begun = clock.now

    def submit_slowly(submitter: Submitter, content: bytes, origin: str) -> bool:
        clock.now += 0.4 * places.seconds
        return submit(submitter, content, origin)

    submit = Submitter.submit_bytes
    monkeypatch.setattr(Submitter, "submit_bytes", submit_slowly)
    notes = _tried(problem, places, _noises(problem, 0.5, 0.3, 0.1), monkeypatch)
    assert clock.now - begun < places.seconds
    assert (notes[-1]["kind"], notes[-1]["origin"]) == ("end", "noise 0.5")


def test_what_would_take_too_long_to_write_is_not_written_at_all(
    places: Places, clock: StoppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)
    large = pd.DataFrame({"y": np.zeros(100_000)})
    to_csv = pd.DataFrame.to_csv

    def write_slowly(table: pd.DataFrame, *some: Any, **more: Any) -> Any:
        clock.now += 1e-5 * places.seconds * len(table)
        return to_csv(table, *some, **more)

    monkeypatch.setattr(pd.DataFrame, "to_csv", write_slowly)
    endless = replace(problem, write=lambda _: large)
    notes = _tried(endless, places, _noises(problem, 0.5), monkeypatch)
    assert clock.now < 1000 + places.seconds
    assert ("unfinished", "writing constant") in [
        (note["kind"], note.get("name")) for note in notes
    ]
    assert not places.submission.exists()


def test_models_that_cannot_be_begun_do_not_count(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)
    waits = Step("waits in vain", lambda: _noisy(problem, 0.0, 0), after="what nobody makes")
    plan = [waits, *_noises(problem, 0.5, 0.1)]
    notes = _tried(problem, places, plan, monkeypatch, course.Limits(1))
    names = [note["name"] for note in notes if note["kind"] == "experiment"]
    assert names == ["constant", "noise 0.5"]


class _Slow(Crew):
    """Steps that seem to take long."""

    def wait(self, seconds: float) -> Outcome | None:
        outcome = super().wait(seconds)
        return None if outcome is None else replace(outcome, seconds=100.0)


def test_what_would_be_cut_off_too_soon_is_not_begun(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = infer(places.data, places.memory)
    monkeypatch.setattr(course, "Crew", _Slow)
    first, hasty, other, last = _noises(problem, 0.5, 0.4, 0.3, 0.1)
    plan = [
        replace(first, family="trees"),
        replace(hasty, family="trees", share=10 / places.seconds),
        replace(other, share=10 / places.seconds),
        replace(last, family="trees"),
    ]
    notes = _tried(problem, places, plan, monkeypatch)
    names = [note["name"] for note in notes if note["kind"] == "experiment"]
    assert [name for name in names if "blend" not in name][1:] == [
        first.name, other.name, last.name
    ]  # fmt: skip


def test_rows_that_are_left_out_are_not_kept(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[weakref.ref[pd.DataFrame]] = []

    def infer_and_watch(data: Path, memory: int) -> Any:
        problem = infer(data, memory)
        kept.append(weakref.ref(problem.train))
        return problem

    def look(_: object, __: object) -> None:
        gc.collect()
        assert kept[0]() is None
        kept.clear()

    monkeypatch.setattr(amount, "FEWEST_ROWS", 50)
    monkeypatch.setattr(amount, "CELLS_A_SECOND", 0)
    monkeypatch.setattr(work, "infer", infer_and_watch)
    monkeypatch.setattr(course.Course, "run", look)
    work.work(places, course.Limits())
    assert not kept


@pytest.mark.parametrize("metric", ["rmse", "auc"])
def test_where_much_more_time_is_asked_for_than_is_known_there_is_a_blend(
    metric: str, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lightgbm")
    days = pd.DataFrame({"day": pd.date_range("2000-01-01", periods=1095).astype(str)})
    train, test = days[:730], days[730:].reset_index(drop=True)
    signal = np.random.default_rng(0).normal(size=730)
    is_number = metric == "rmse"
    problem = Problem(
        "numbers" if is_number else "marks", train, test,
        signal[:, None] if is_number else (signal > 0)[:, None] * 1.0,
        ("y",), METRICS[metric], lambda finished: pd.DataFrame({"y": finished.ravel()}),
    )  # fmt: skip

    def plan(_: object) -> Iterator[Step]:
        for seed in range(3):
            yield Step(f"noise {seed}", lambda n=seed: _noisy(problem, 0.5, n + 1))

    monkeypatch.setattr(course, "steps", plan)
    journal = Journal(places.logs, Clock(places.seconds))
    submitter = Submitter(places, journal)
    course.Course(problem, places, Clock(places.seconds), journal, submitter).run(course.Limits())
    notes = _notes_of(places.logs)
    assert "failure" not in [note["kind"] for note in notes]
    assert notes[-1]["kind"] == "end"
    assert "3" in notes[-1]["origin"]  # that many are blended


def test_what_fails_at_the_very_beginning_leaves_an_end(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("nothing can be judged")

    monkeypatch.setattr(course, "judge", fail)
    notes = _tried(infer(places.data, places.memory), places, [], monkeypatch)
    (reason,) = [note["reason"] for note in notes if note["kind"] == "failure"]
    assert "nothing can be judged" in reason
    assert (notes[-1]["kind"], notes[-1]["origin"]) == ("end", None)  # nothing was submitted
    assert not places.scratch.exists()


def test_one_step_is_one_model(data: Path, room: Room) -> None:
    room.run(data, "--steps", "1")
    notes = _notes(room)
    models = [one for one in notes if one["kind"] == "experiment" and "blend" not in one["name"]]
    assert len(models) == 2  # the constant is none
    assert models[1]["score"] < models[0]["score"]


def test_the_journal_tells_limit_and_time(data: Path, room: Room) -> None:
    room.run(data, "--steps", "1", TIME_LIMIT_SECS="25")
    begin, *_, end = _notes(room)
    assert begin["limit"] == 25
    assert begin["seconds"] < end["seconds"] < 25
    assert end["kind"] == "end"
    assert "None" not in room.journal


@pytest.mark.parametrize("told", ["soon", "nan", "-3", "0", ""])
def test_limits_that_make_no_sense_are_as_if_there_were_none(told: str) -> None:
    names = ("TIME_LIMIT_SECS", "MEMORY_LIMIT_BYTES", "CPU_LIMIT", "SEED")
    assert Places.from_environment(dict.fromkeys(names, told)) == Places.from_environment({})


def test_without_a_place_for_logs_there_is_a_submission(data: Path, room: Room) -> None:
    room.run(data, "--steps", "1", LOGS_DIR="/dev/null/logs")
    assert len(pd.read_csv(room.submission)) == 50


Answer = Callable[[bytes], bytes]
Serve = Callable[[Answer], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A function that starts a service with some answer to what is validated; gives its place."""
    servers = []

    def start(answer: Answer) -> str:
        class Service(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.end_headers()
                self.wfile.write(answer(content))

            def log_message(self, *_: object) -> None:
                """Nothing."""

        server = HTTPServer(("127.0.0.1", 0), Service)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join(10)
        server.server_close()


def test_what_is_refused_is_told_and_never_in_the_place_of_something_valid(
    places: Places, serve: Serve
) -> None:
    def answer(content: bytes) -> bytes:
        return json.dumps({"is_valid": b"good" in content, "result": "no"}).encode()

    places = replace(places, validation_url=serve(answer))
    submitter = Submitter(places, Journal(places.logs, Clock(places.seconds)))
    assert not submitter.submit_bytes(b"bad", "the sample")
    assert places.submission.read_bytes() == b"bad"  # better than nothing
    assert not submitter.submit_bytes(b"worse", "the rows to predict")
    assert submitter.submit_bytes(b"good", "constant")
    assert not submitter.submit_bytes(b"bad again", "a model")
    assert places.submission.read_bytes() == b"good"
    assert submitter.origin == "constant"
    kinds = [note["kind"] for note in _notes_of(places.logs)]
    assert kinds == ["refused", "refused", "submission", "refused"]


def test_a_service_that_has_failed_refuses_nothing(places: Places, serve: Serve) -> None:
    places = replace(places, validation_url=serve(lambda content: b'{"error": "out of order"}'))
    submitter = Submitter(places, Journal(places.logs, Clock(places.seconds)))
    assert submitter.submit_bytes(b"sample", "the sample")
    assert submitter.submit_bytes(b"better", "a model")
    assert places.submission.read_bytes() == b"better"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_without_a_traceback(
    data: Path, room: Room, number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    agent = room.start(data)
    until = time.monotonic() + PATIENCE
    while not room.submission.exists() and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(agent.pid, number)
    assert agent.wait(PATIENCE) == 128 + number
    assert "Traceback" not in capfd.readouterr().err
    assert len(pd.read_csv(room.submission)) == 50


def test_no_limit_is_too_long(data: Path, room: Room) -> None:
    room.run(data, "--steps", "1", TIME_LIMIT_SECS="1e13")
    assert _notes(room)[-1]["origin"] != "the sample"


def test_a_service_that_answers_nonsense_holds_nothing_up(
    data: Path, room: Room, serve: Serve
) -> None:
    url = serve(lambda content: b'["what?"]')
    room.run(data, "--steps", "1", MLEBENCH_VALIDATION_URL=url)
    kinds = [note["kind"] for note in _notes(room)]
    assert "no-validation" in kinds
    assert kinds[-1] == "end"
    assert len(pd.read_csv(room.submission)["y"].unique()) > 1


def test_where_nothing_can_be_written_that_is_told(places: Places, tmp_path: Path) -> None:
    journal = Journal(places.logs, Clock(places.seconds))
    (tmp_path / "submission").rmdir()
    submitter = Submitter(places, journal)
    assert not submitter.submit_bytes(b"id,y\n", "the sample")
    assert "writing the sample" in (places.logs / "journal.log").read_text()
    (tmp_path / "submission").mkdir()
    assert submitter.submit_bytes(b"id,y\n", "the sample")
    assert places.submission.read_bytes() == b"id,y\n"
