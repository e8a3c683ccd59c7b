"""Damaged and odd files cost what they hold, never the submission nor an honest estimate."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mlebench.agents.automl.automl.clock import TooLateError, within
from mlebench.agents.automl.automl.crew import Crew
from mlebench.agents.automl.automl.features.columns import as_times
from mlebench.agents.automl.automl.folds import make_folds
from mlebench.agents.automl.automl.inferring import infer
from mlebench.agents.automl.automl.learners.constants import LATEST, held_out_constants
from mlebench.agents.automl.automl.metrics import METRICS
from mlebench.agents.automl.automl.problem import CannotInferError, Problem

from .conftest import Room

MEMORY = 2**30
ROWS, KNOWN = 120, 80
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A function that writes a small competition; its target is named, and can be given."""

    def do(target: object = None, score: str = "accuracy", **further: object) -> Path:
        chance = np.random.default_rng(0)
        folder = tmp_path / "data"
        folder.mkdir()
        a = chance.normal(size=ROWS)
        y = np.where(a > 0, "yes", "no") if target is None else np.resize(target, ROWS)
        table = pd.DataFrame({"id": np.arange(ROWS) + 1000, "a": a, **further})
        table[:KNOWN].assign(y=y[:KNOWN]).to_csv(folder / "train.csv", index=False)
        table[KNOWN:].to_csv(folder / "test.csv", index=False)
        sample = table[KNOWN:][["id"]].assign(y=y[0])
        sample.to_csv(folder / "sample_submission.csv", index=False)
        (folder / "description.md").write_text(f"The score is {score}.")
        return folder

    return do


def test_labels_that_look_like_nothing_are_labels(write: Write) -> None:
    data = write(["None", "Low", "NA", "High"])
    assert infer(data, MEMORY).names == ("High", "Low", "NA", "None")


def test_labels_are_whole_although_some_rows_have_none(write: Write) -> None:
    data = write([1, 0])
    table = pd.read_csv(data / "train.csv", dtype=str)
    table.loc[3:5, "y"] = ""
    table.to_csv(data / "train.csv", index=False)
    problem = infer(data, MEMORY)
    assert set(problem.write(np.eye(2)[[0, 1] * 20])["y"].astype(str)) == {"0", "1"}


def test_rows_that_say_the_same_are_held_out_together(write: Write) -> None:
    data = write()
    train = pd.read_csv(data / "train.csv")
    again = pd.concat([train] * 4, ignore_index=True).assign(id=np.arange(4 * KNOWN))
    again.sample(frac=1, random_state=0).to_csv(data / "train.csv", index=False)
    problem = infer(data, MEMORY)
    folds = make_folds(problem, 0)
    for place, part in enumerate(folds.parts):
        known = folds.learned_from(place, len(problem.train))
        assert not set(problem.train["a"].iloc[part]) & set(problem.train["a"].iloc[known])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.csv.zip", b"PKgarbage"),
        ("x.csv.gz", gzip.compress(b"a,b\n1,2\n" * 1000, mtime=0)[:-30]),
        ("x.csv.7z", b"7z\xbc\xaf\x27\x1cgarbage"),
        ("x.json", b"[" * 100_000),
        ("x.parquet", b"PAR1garbage"),
        ("x.csv", b""),
    ],
)
def test_a_damaged_file_costs_only_itself(name: str, content: bytes, write: Write) -> None:
    data = write()
    (data / name).write_bytes(content)
    problem = infer(data, MEMORY)
    assert len(problem.train) == KNOWN
    assert name in problem.notes[0]


def test_a_sample_in_a_damaged_archive_is_made_up_for(write: Write, room: Room) -> None:
    data = write()
    (data / "sample_submission.csv").unlink()
    (data / "sample_submission.csv.zip").write_bytes(b"PKgarbage")
    room.run(data, "--steps", "1", TIME_LIMIT_SECS="10")
    assert len(pd.read_csv(room.submission)) == ROWS - KNOWN


def test_what_macs_put_into_archives_is_no_table(write: Write) -> None:
    data = write()
    with zipfile.ZipFile(data / "sample_submission.csv.zip", "w") as archive:
        archive.write(data / "sample_submission.csv", "sample_submission.csv")
        archive.writestr("__MACOSX/._sample_submission.csv", b"\0\5\26\7")
    (data / "sample_submission.csv").unlink()
    assert len(infer(data, MEMORY).test) == ROWS - KNOWN


def test_dates_of_other_millennia_are_dates() -> None:
    days = as_times(pd.Series(["0001-01-02", "2000-01-01", "9940-01-02"], name="born"))
    assert days is not None
    assert np.isfinite(days).all()
    assert days[0] < 0 < days[1] < days[2]


def test_rows_with_endless_targets_are_left_out(write: Write) -> None:
    data = write([1.5, 2.5, np.inf, 1e300], "the root mean squared error")
    problem = infer(data, MEMORY)
    assert len(problem.train) == KNOWN // 2
    assert problem.target.max() == 2.5


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig"])
def test_tables_in_other_encodings_are_read(encoding: str, write: Write) -> None:
    data = write(town=np.resize(["Köln", "Århus", "Łódź"[1:2], "Málaga"], ROWS))
    for name in ("train.csv", "test.csv"):
        text = (data / name).read_text()
        (data / name).write_text(text, encoding=encoding)
    problem = infer(data, MEMORY)
    assert set(problem.train["town"]) == {"Köln", "Århus", "ó", "Málaga"}


@pytest.mark.parametrize("line", ["1,2,3,4,5,6,7,8,9\n", '5,"unclosed'])
def test_a_damaged_line_costs_only_itself(line: str, write: Write) -> None:
    data = write()
    with (data / "train.csv").open("a") as file:
        file.write(line)
    assert len(infer(data, MEMORY).train) >= KNOWN - 1


def test_a_sample_that_does_not_fit_is_not_cut(write: Write) -> None:
    data = write()
    rows = 20_000
    pd.DataFrame({"id": range(rows), "y": "no"}).to_csv(data / "sample_submission.csv", index=False)
    with pytest.raises(CannotInferError, match="too large"):
        infer(data, 500_000)


def test_all_columns_of_the_key_stay_as_they_are_written(write: Write, tmp_path: Path) -> None:
    data = write(part=np.resize(["NA", "B", "C"], ROWS))
    test = pd.read_csv(data / "test.csv", keep_default_na=False)
    test[["id", "part"]].assign(y="no").to_csv(data / "sample_submission.csv", index=False)
    problem = infer(data, MEMORY)
    written = problem.write(np.full((len(test), 2), 0.5))
    assert written["part"].tolist() == test["part"].tolist()


@pytest.mark.parametrize("place", [0, 70])
def test_a_row_called_na_is_a_row(place: int, write: Write) -> None:
    data = write()
    for name in ("train.csv", "test.csv", "sample_submission.csv"):
        table = pd.concat([pd.read_csv(data / name)] * 2, ignore_index=True)
        names = [f"{name} {row}" if name == "train.csv" else f"x{row}" for row in table.index]
        if name != "train.csv":
            names[place] = "NA"
        table.assign(id=names).to_csv(data / name, index=False)
    problem = infer(data, MEMORY)
    assert problem.test_ids[place] == "NA"
    assert problem.test["a"].notna().all()
    assert list(problem.test_ids) == problem.write(np.full((80, 2), 0.5))["id"].tolist()


def test_a_sample_with_columns_of_one_name_stays(write: Write, room: Room) -> None:
    data = write()
    sample = (data / "sample_submission.csv").read_text().replace("id,y", "id,id")
    (data / "sample_submission.csv").write_text(sample)
    with pytest.raises(CannotInferError, match="several columns of one name"):
        infer(data, MEMORY)
    room.run(data, "--steps", "1", TIME_LIMIT_SECS="10")
    assert room.submission.read_text() == sample


def test_words_that_a_sample_only_says_are_not_predicted(write: Write) -> None:
    data = write()
    sample = pd.read_csv(data / "sample_submission.csv").assign(Usage="Public")
    sample.to_csv(data / "sample_submission.csv", index=False)
    written = infer(data, MEMORY).write(np.full((ROWS - KNOWN, 2), 0.5))
    assert written.columns.tolist() == ["id", "y", "Usage"]
    assert set(written["Usage"]) == {"Public"}


def test_where_time_goes_on_the_latest_rows_say_most() -> None:
    days = pd.Series(pd.date_range("2000-01-01", periods=1000).astype(str))
    train, test = pd.DataFrame({"day": days[:800]}), pd.DataFrame({"day": days[800:]})
    target = np.arange(800.0)[:, None]
    problem = Problem("numbers", train, test, target, ("y",), METRICS["mae"], pd.DataFrame)
    folds = make_folds(problem, 0)
    all_rows, latest = (held_out_constants(problem, folds, share) for share in (1.0, LATEST))
    assert all_rows.test[0, 0] == pytest.approx(400, abs=1)
    assert latest.test[0, 0] == pytest.approx(760, abs=1)
    for place, part in enumerate(folds.parts):
        assert latest.held_out[part].max() < folds.learned_from(place, 800).max()


def test_what_takes_too_long_is_broken_off() -> None:
    with pytest.raises(TooLateError), within(0.05):
        threading.Event().wait(60)
    with within(60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "worker"
    parent = os.fork()
    if parent == 0:
        crew = Crew(1, MEMORY, tmp_path)

        def work() -> None:
            told.write_text(str(os.getpid()))
            time.sleep(60)

        crew.start("long", work, 60)
        while not told.exists() or not told.read_text():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    worker = int(told.read_text())
    until = time.monotonic() + 20
    while time.monotonic() < until and _is_alive(worker):
        time.sleep(0.02)
    assert not _is_alive(worker)


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def silent() -> Iterator[str]:
    """A service that takes questions, and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken: list[socket.socket] = []
        is_over = threading.Event()

        def take() -> None:
            server.settimeout(0.1)
            while not is_over.is_set():
                try:
                    taken.append(server.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=take)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        is_over.set()
        thread.join(10)
        for one in taken:
            one.close()


def test_a_silent_service_holds_little_up(write: Write, room: Room, silent: str) -> None:
    data = write()
    room.run(data, "--steps", "1", MLEBENCH_VALIDATION_URL=silent, TIME_LIMIT_SECS="20")
    lines = (room.folder / "logs" / "journal.jsonl").read_text().splitlines()
    notes = [json.loads(line) for line in lines]
    assert [note["kind"] for note in notes].count("no-validation") >= 2
    assert notes[-1]["kind"] == "end"
    assert set(pd.read_csv(room.submission)["y"]) == {"yes", "no"}
