"""The course of a run: something valid at once, then better, until the time is over."""

from __future__ import annotations

import shutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .amount import bounded
from .blending import Blend, Verdict, best_blend, judge
from .clock import Clock
from .crew import Crew, Outcome
from .finishing import chosen_finish
from .folds import make_folds
from .inferring import CannotInferError, infer
from .journal import Journal
from .learners.constants import constants
from .odd.bare import made_sample
from .odd.trying import try_all
from .pace import end_in
from .places import Places
from .planning.bench import Bench
from .planning.order import steps
from .planning.step import Notes, Step
from .problem import Prediction, Problem
from .store import Store
from .submitting import Submitter, sample_bytes
from .tables import find_sample, find_tables
from .warming import warm

BLEND = "blend"
SHARE_OF_MEMORY = 0.85
LITTLE_MEMORY = 1024**3
LEAST_SECONDS = 2.0
MOST_BLENDED = 30
WORK_FOR_BLEND = 3
SHARE_OF_BLEND = 0.1  # of the time that is left, for what is learned anew


@dataclass(frozen=True)
class Limits:
    """What ends a run beside the clock.

    Attributes:
        steps: How many are tried at most.
    """

    steps: int | None = None


def work(places: Places, limits: Limits) -> None:
    """Leave the best submission that can be made in the time."""
    clock = Clock(places.seconds)
    journal = Journal(places.logs, clock)
    submitter = Submitter(places, journal)
    journal.note(
        "begin", seconds=places.seconds, memory=places.memory, cores=places.cores, seed=places.seed
    )
    sample = find_sample(find_tables(places.data))
    if sample is not None:
        submitter.submit_bytes(sample_bytes(sample), "the sample")
    elif (made := made_sample(places.data)) is not None:
        submitter.submit_bytes(made, "the rows to predict as they are")
    try:
        problem = infer(places.data, places.memory)
    except CannotInferError as error:
        journal.note("no-model", reason=str(error))
        try_all(places, clock, journal, submitter)
        return
    except Exception as error:  # files of a form that nobody thought of
        journal.note("failure", name="inferring", reason=_told(error))
        try_all(places, clock, journal, submitter)
        return
    _note_problem(journal, problem)
    try:
        Course(problem, places, clock, journal, submitter).run(limits)
    except Exception as error:  # what was submitted so far stays
        journal.note("failure", name="course", reason=_told(error))


def _told(error: Exception) -> str:
    """What went wrong, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"[:500]


def _note_problem(journal: Journal, problem: Problem) -> None:
    journal.note(
        "problem", predicts=problem.kind, columns=problem.columns, rows=len(problem.target),
        asked=len(problem.test), metric=problem.metric.name,
        features=[str(name) for name in problem.train.columns][:50],
    )  # fmt: skip


class Course:
    """One problem from the first constant to the last blend."""

    def __init__(
        self, problem: Problem, places: Places, clock: Clock, journal: Journal, submitter: Submitter
    ) -> None:
        """Know all that the steps need."""
        self._problem = problem = bounded(problem, places.seconds, places.seed)
        self._places = places
        self._clock, self._journal, self._submitter = clock, journal, submitter
        shutil.rmtree(places.scratch, ignore_errors=True)  # of an attempt that was interrupted
        self._store = Store(places.scratch)
        is_small = places.memory < LITTLE_MEMORY
        self._crew = Crew(
            1 if is_small else places.cores, int(SHARE_OF_MEMORY * places.memory), places.scratch
        )
        self._folds = make_folds(problem, places.seed)
        journal.note(
            "folds", count=len(self._folds.parts), reason=self._folds.reason,
            rows=len(problem.target),
        )  # fmt: skip
        self._bench = Bench(
            problem, self._folds, self._store, places.seed, 1, places.seconds, places.memory
        )
        self._verdicts: dict[str, Verdict] = {}
        self._best: Verdict | None = None
        self._origin = "the sample"
        self._is_news = False
        self._blend_seconds = LEAST_SECONDS
        self._blend_after = 0.0

    def run(self, limits: Limits) -> None:
        """Try one thing after the other, and blend what there is."""
        self._begin()
        warm()
        plan = self._plan(limits)
        waiting: Step | None = None
        try:
            while self._clock.left > 0:
                waiting = self._occupy(plan, waiting)
                outcome = self._crew.wait(min(0.5, self._clock.left))
                if outcome is not None:
                    self._take(outcome)
                elif not self._crew.at_work and waiting is None and not self._is_news:
                    break
        finally:
            self._crew.stop()
            shutil.rmtree(self._places.scratch, ignore_errors=True)
            score = self._best.score if self._best else None
            error = self._best.error if self._best else None
            self._journal.note("end", origin=self._origin, score=score, error=error)

    def _begin(self) -> None:
        """The best that can be said without looking at any row."""
        problem = self._problem
        one = Prediction(
            constants(problem, len(problem.target)), constants(problem, len(problem.test))
        )
        verdict = judge(problem, self._folds, one.held_out)
        seen = self._folds.seen
        finish = chosen_finish(
            problem.metric, problem.kind, problem.target[seen], one.held_out[seen]
        )
        self._note_experiment("constant", verdict, self._clock.elapsed)
        self._submit(Blend("constant", verdict, finish(one.test)))

    def _plan(self, limits: Limits) -> Iterator[Step]:
        for number, step in enumerate(steps(self._bench)):
            if limits.steps is not None and number >= limits.steps:
                return
            yield step

    def _occupy(self, plan: Iterator[Step], waiting: Step | None) -> Step | None:
        """Give everybody who is free something to do."""
        while not self._crew.is_full and self._clock.left > LEAST_SECONDS:
            if waiting is None:  # not before it can begin: what is best may have changed by then
                waiting = next(plan, None)
            is_last_chance = self._clock.left < 3 * self._blend_seconds
            if self._is_time_to_blend(is_last_chance or waiting is None):
                self._is_news = False
                self._crew.start(BLEND, self._blend, self._clock.left)
            elif waiting is not None and not is_last_chance:
                if waiting.after in self._crew.at_work:
                    break
                if waiting.after is not None and not self._store.has(waiting.after):
                    waiting = None
                    continue
                seconds = max(LEAST_SECONDS, waiting.share * self._clock.seconds)
                room = self._clock.left - 1.5 * self._blend_seconds
                given = max(1.0, min(seconds, room))
                self._crew.start(waiting.name, self._kept(waiting, given), given)
                waiting = None
            else:
                break
        return waiting

    def _is_time_to_blend(self, is_urgent: bool) -> bool:
        """Whether there is something new, and blending does not take most of the time."""
        if not self._is_news or BLEND in self._crew.at_work:
            return False
        return is_urgent or self._clock.elapsed >= self._blend_after

    def _kept(self, step: Step, seconds: float) -> Callable[[], Verdict | Notes | None]:
        """A step that leaves its predictions in the store, and tells how good they are."""

        def do() -> Verdict | Notes | None:
            end_in(seconds)
            one = step.work()
            if not isinstance(one, Prediction):
                return one
            verdict = judge(self._problem, self._folds, one.held_out)
            self._store.save(f"prediction {step.name}", one)
            return verdict

        return do

    def _take(self, outcome: Outcome) -> None:
        """Note what came of a step, and use it."""
        if outcome.failure is not None:
            self._journal.note(
                "failure", name=outcome.name, reason=outcome.failure, took=round(outcome.seconds, 2)
            )
            return
        if outcome.result is None or isinstance(outcome.result, Notes):
            self._journal.note("prepared", name=outcome.name, took=round(outcome.seconds, 2))
            if outcome.result is not None:
                for found in outcome.result.found:
                    self._journal.note(outcome.result.kind, **found)
            return
        if outcome.name != BLEND:
            self._verdicts[outcome.name] = outcome.result
            self._note_experiment(outcome.name, outcome.result, outcome.seconds)
            self._is_news = True
            return
        self._blend_seconds = max(LEAST_SECONDS, outcome.seconds)
        self._blend_after = self._clock.elapsed + WORK_FOR_BLEND * outcome.seconds
        blend: Blend = outcome.result
        self._note_experiment(f"blend: {blend.name}", blend.verdict, outcome.seconds)
        self._submit(blend)

    def _blend(self) -> Blend:
        """The best of what there is so far."""
        end_in(max(LEAST_SECONDS, SHARE_OF_BLEND * self._clock.left))
        ranked = sorted(self._verdicts, key=lambda name: self._verdicts[name].gain, reverse=True)
        library = {name: self._store.load(f"prediction {name}") for name in ranked[:MOST_BLENDED]}
        return best_blend(
            self._problem, self._folds, library, self._places.seed, self._bench.threads
        )

    def _submit(self, blend: Blend) -> None:
        """Submit predictions if they are better than those before."""
        if self._best is not None and blend.verdict.gain <= self._best.gain:
            return
        table = self._problem.write(blend.finished)
        if self._submitter.submit(table, blend.name):
            self._best, self._origin = blend.verdict, blend.name

    def _note_experiment(self, name: str, verdict: Verdict, seconds: float) -> None:
        self._journal.note(
            "experiment", name=name, score=verdict.score, error=verdict.error,
            took=round(seconds, 2),
        )  # fmt: skip
