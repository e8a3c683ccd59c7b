"""How far the runs of a group are, in SQLite beside their folders."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from mlebench.errors import ConfigError, DamagedStateError, UnwritableFolderError

FILE_NAME = "state.sqlite"
WAIT_SECONDS = 30.0

Status = Literal["waiting", "running", "ended", "graded", "failed"]
"""``ended``: the room is gone and what it left is collected. ``failed``: for no fault of the
agent, as often as it is tried."""
FINAL = ("graded", "failed")

SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY,
    place INTEGER NOT NULL,
    competition_id TEXT NOT NULL,
    seed INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    started_at TEXT,
    ended_at TEXT,
    seconds REAL,
    cause TEXT,
    message TEXT,
    exit_code INTEGER,
    report TEXT
);
"""


@dataclass(frozen=True)
class RunState:
    """What is known about one run."""

    run_id: str
    place: int
    competition_id: str
    seed: int
    status: str = "waiting"
    attempts: int = 0
    started_at: str | None = None
    ended_at: str | None = None
    seconds: float | None = None
    cause: str | None = None
    message: str | None = None
    exit_code: int | None = None
    report: dict[str, Any] | None = None

    @property
    def is_final(self) -> bool:
        """Whether nothing more happens to it by itself."""
        return self.status in FINAL


class StateFile:
    """The states of a group's runs; every change is on the disk when the call returns."""

    def __init__(self, path: Path, *, must_exist: bool = True) -> None:
        if must_exist and not path.is_file():
            raise ConfigError(f"{path.parent} is no run group: it has no {path.name}.")
        self._path = path
        self._lock = threading.Lock()
        with self._told():
            # Threads take turns, so that the connection may be everybody's.
            self._connection = sqlite3.connect(path, timeout=WAIT_SECONDS, check_same_thread=False)
        self._connection.row_factory = sqlite3.Row
        try:
            self._prepare(is_new=not must_exist)
        except BaseException:
            self.close()
            raise

    def _prepare(self, *, is_new: bool) -> None:
        """Make the tables of a new file; those of another one are there, or it is none of ours."""
        if is_new:
            with self._changing() as change:
                change.executescript(SCHEMA)
            return
        if not self._has_columns() or not isinstance(self.fact("specification"), dict):
            raise self._damaged("it is no state of a run group")

    def _has_columns(self) -> bool:
        with self._reading():
            found = self._connection.execute("SELECT * FROM runs LIMIT 0").description
        return {column[0] for column in found} == {column.name for column in fields(RunState)}

    def create(self, facts: dict[str, Any], runs: Iterable[RunState]) -> None:
        """Write down what a new group is about, all of it or nothing."""
        with self._changing() as change:
            change.executemany(
                "INSERT INTO facts VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in facts.items()],
            )
            change.executemany(
                "INSERT INTO runs (run_id, place, competition_id, seed) VALUES (?, ?, ?, ?)",
                [(run.run_id, run.place, run.competition_id, run.seed) for run in runs],
            )

    def fact(self, name: str) -> Any:
        """Something about the whole group; None if it is not known."""
        with self._reading():
            row = self._connection.execute(
                "SELECT value FROM facts WHERE name = ?", (name,)
            ).fetchone()
            return json.loads(row["value"]) if row else None

    def set_fact(self, name: str, value: Any) -> None:
        """Write down something about the whole group that is new, or no longer as it was."""
        with self._changing() as change:
            change.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, json.dumps(value)))

    def runs(self) -> list[RunState]:
        """All runs, in their order."""
        with self._reading():
            rows = self._connection.execute("SELECT * FROM runs ORDER BY place").fetchall()
            return [_from_row(row) for row in rows]

    def run(self, run_id: str) -> RunState:
        """One run."""
        with self._reading():
            row = self._connection.execute(
                "SELECT * FROM runs WHERE run_id = ?", (run_id,)
            ).fetchone()
            if row is None:
                raise ConfigError(f"There is no run {run_id!r} in {self._path.parent}.")
            return _from_row(row)

    def update(self, run_id: str, **values: Any) -> None:
        """Change what is known about a run."""
        if "report" in values and values["report"] is not None:
            values["report"] = json.dumps(values["report"])
        columns = ", ".join(f"{name} = ?" for name in values)
        with self._changing() as change:
            change.execute(
                f"UPDATE runs SET {columns} WHERE run_id = ?",  # noqa: S608 (names are ours)
                (*values.values(), run_id),
            )

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._told(), self._lock, self._connection:
            yield self._connection

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._told(), self._lock:
            yield

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite or JSON cannot make sense of is told with the file's name."""
        try:
            yield
        except (sqlite3.Error, ValueError, TypeError, RecursionError) as error:
            if not self._path.exists():
                raise DamagedStateError(
                    f"{self._path} is gone: somebody has removed or moved the run group."
                ) from error
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
                raise UnwritableFolderError(
                    f"{self._path.parent} cannot be written to: the disk is full."
                ) from error
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> DamagedStateError:
        return DamagedStateError(f"{self._path} cannot be used: {why}.")


def _from_row(row: sqlite3.Row) -> RunState:
    values = dict(row)
    values["report"] = json.loads(values["report"]) if values["report"] else None
    if not isinstance(values["report"], dict | None):
        raise TypeError(f"the report of {values['run_id']} is none")
    return RunState(**values)
