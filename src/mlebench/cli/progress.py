"""How far preparations are: a line for each on a terminal, a log elsewhere, JSON for programs."""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlebench.cli.logs import lines_above, lines_as_events, warnings_only
from mlebench.printable import print_to_stderr, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, Task, TaskID

    from mlebench.data.notes import Observer

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 15.0
SECONDS_BETWEEN_EVENTS = 1.0

Clock = Callable[[], float]


@contextmanager
def shown_progress(*, as_json: bool) -> Iterator[Observer]:
    """Whoever is told in here how far preparations are shows it in the way that fits."""
    if as_json:
        with lines_as_events():
            yield Events()
        return
    from rich.console import Console

    console = Console(stderr=True)
    is_quiet = not logger.isEnabledFor(logging.WARNING)
    if is_quiet or not console.is_terminal or console.is_dumb_terminal:
        yield LogLines()
        return
    # What would be logged is what the bars show.
    with _drawn(console) as progress, lines_above(console), warnings_only():
        yield Bars(progress)


class WatchedAs:
    """Tells an observer about the one preparation that runs right here."""

    def __init__(self, competition_id: str, observer: Observer) -> None:
        self._id = competition_id
        self._observer = observer

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._observer.stage(self._id, name)

    def advance(self, done: int, total: int | None) -> None:
        """So many bytes are done."""
        self._observer.advance(self._id, done, total)


class Bars:
    """A line for each preparation that is under way."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._bars: dict[str, TaskID] = {}

    def stage(self, competition_id: str, name: str) -> None:
        """A stage begins, and its bar with it."""
        if (old := self._bars.pop(competition_id, None)) is not None:
            self._progress.remove_task(old)
        self._bars[competition_id] = self._progress.add_task(
            printable(competition_id), total=None, stage=name
        )

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        """So many bytes are done."""
        self._progress.update(self._bars[competition_id], completed=done, total=total)

    def end(self, competition_id: str) -> None:
        """A preparation is over, and its line goes."""
        if (bar := self._bars.pop(competition_id, None)) is not None:
            self._progress.remove_task(bar)


@dataclass
class _Pace:
    """A stage from where its bytes are counted: what an earlier process did is nobody's speed."""

    name: str
    last_line: float
    began: float | None = None
    first: int = 0

    def speed(self, done: int, now: float) -> float:
        """Bytes a second, 0 as long as it is not known."""
        if self.began is None or done < self.first:  # or what was there is thrown away
            self.began, self.first = now, done
        return (done - self.first) / (now - self.began) if now > self.began else 0.0


class LogLines:
    """A line for each stage, and now and then one for how far it is."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._paces: dict[str, _Pace] = {}

    def stage(self, competition_id: str, name: str) -> None:
        """A stage begins."""
        self._paces[competition_id] = _Pace(name, self._clock())
        logger.info("%s: %s", competition_id, name)

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        """So many bytes are done."""
        now, pace = self._clock(), self._paces[competition_id]
        speed = pace.speed(done, now)
        if now - pace.last_line < SECONDS_BETWEEN_LINES:
            return
        pace.last_line = now
        parts = [_megabytes(done) + (f" of {_megabytes(total)}" if total else "")]
        if speed:
            parts += [f"{_megabytes(speed)}/s"]
        if speed and total:
            parts += [f"{_minutes((total - done) / speed)} left"]
        logger.info("%s: %s %s", competition_id, pace.name, ", ".join(parts))

    def end(self, competition_id: str) -> None:
        """What became of it is told elsewhere."""


class Events:
    """A JSON object in a line of stderr for each thing that happens."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[str, float] = {}
        self._untold: dict[str, tuple[int, int | None]] = {}

    def stage(self, competition_id: str, name: str) -> None:
        """A stage begins."""
        self.end(competition_id)
        print_event("stage", competition_id=competition_id, stage=name)

    def advance(self, competition_id: str, done: int, total: int | None) -> None:
        """So many bytes are done."""
        now = self._clock()
        self._untold[competition_id] = done, total
        seconds = now - self._last.get(competition_id, -math.inf)
        if done == total or seconds >= SECONDS_BETWEEN_EVENTS:
            self._last[competition_id] = now
            self._tell(competition_id)

    def end(self, competition_id: str) -> None:
        """A stage is over, which nothing but this says where nobody knew the total."""
        self._last.pop(competition_id, None)
        if competition_id in self._untold:
            self._tell(competition_id)

    def _tell(self, competition_id: str) -> None:
        done, total = self._untold.pop(competition_id)
        print_event("bytes", competition_id=competition_id, done=done, total=total)


def print_event(kind: str, **facts: Any) -> None:
    """Write an event to stderr."""
    print_to_stderr(json.dumps({"event": kind, **facts}))


@contextmanager
def _drawn(console: Console) -> Iterator[Progress]:
    from rich.progress import Progress, ProgressColumn
    from rich.text import Text

    class State(ProgressColumn):
        """As much as there is room for in one line; the name and the stage always."""

        def render(self, task: Task) -> Text:
            told = [task.description, task.fields["stage"], *_numbers(task)]
            line = "  ".join(told[:2])
            for part in told[2:]:
                if len(line) + len(part) + 2 < console.width:
                    line += f"  {part}"
            return Text(line, no_wrap=True, overflow="crop")

    with Progress(
        State(), console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        yield progress


def _numbers(task: Task) -> list[str]:
    """Share, bytes, time left and speed of a stage that counts bytes, the important ones first."""
    if not task.completed:
        return []
    parts = []
    if task.total:
        parts += [f"{task.percentage:.0f} %", f"of {_megabytes(task.total)}"]
    else:
        parts += [_megabytes(task.completed)]
    if task.time_remaining is not None:
        parts += [f"{_minutes(task.time_remaining)} left"]
    if task.speed:
        parts += [f"{_megabytes(task.speed)}/s"]
    return parts


def _megabytes(count: float) -> str:
    return f"{count / 1e6:,.1f} MB"


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 60 else f"{seconds:.0f} s"
