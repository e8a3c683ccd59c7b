"""One problem from the first constant to the last blend, as long as there is time."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from .amount import bounded
from .blending import Blend, Verdict, alone, best_blend, judge
from .clock import Clock
from .crew import Crew, Outcome
from .faults import told
from .folds import make_folds
from .journal import Journal
from .learners.constants import LATEST, held_out_constants
from .offers import Offers, best_alone
from .pace import end_in
from .places import Places
from .planning.bench import Bench
from .planning.order import steps
from .planning.step import Notes, Step
from .problem import Prediction, Problem
from .store import Store
from .submitting import Submitter
from .warming import warm
from .writers import seconds_to_write

BLEND = "blend"
SHARE_OF_MEMORY = 0.85
LITTLE_MEMORY = 1024**3
LEAST_SECONDS, LEAST_STEP, LEAST_FOR_BLEND = 2.0, 1.0, 0.7
BLENDS_RESERVED = 1.5  # as much time as the last blend took, and some more
WRITING_RESERVED = 1.2
MOST_BLENDED, FEWEST_BLENDED = 30, 4
WORK_FOR_BLEND = 3
SHARE_OF_QUICKEST = 0.25  # with less time than that, a model of its family is cut off too soon
SHARE_OF_BLEND = 0.1  # of the time that is left, for what is learned anew


@dataclass(frozen=True)
class Limits:
    """What ends a run beside the clock.

    Attributes:
        steps: How many models are tried at most.
    """

    steps: int | None = None


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
        self._models = 0  # that were begun
        self._families: dict[str, str] = {}  # of steps that were begun
        self._quickest: dict[str, float] = {}  # how long the quickest of each family took
        self._verdicts: dict[str, Verdict] = {}
        self._best: Blend | None = None
        self._offers = Offers(problem, self._folds)
        self._offered = self._blended = 0  # how many models the last blends had
        self._most_blended = MOST_BLENDED
        self._blend_seconds = LEAST_SECONDS
        self._blend_after = 0.0
        self._writing_seconds = 0.0  # how long it took to submit the last time

    def run(self, limits: Limits) -> None:
        """Try one thing after the other, and blend what there is."""
        plan = self._plan(limits)
        waiting: Step | None = None
        try:
            self._begin()
            for missing in warm():
                self._journal.note("missing", reason=missing)
            while self._clock.left > 0:
                waiting = self._occupy(plan, waiting)
                outcome = self._crew.wait(min(0.5, self._clock.left))
                if outcome is not None:
                    with self._guarded(outcome.name):
                        self._take(outcome)
                elif not self._crew.at_work:  # there is no time to begin anything else
                    break
            for name in self._crew.at_work:
                self._journal.note("unfinished", name=name)
            self._crew.stop()
            if self._blended < len(self._verdicts):
                with self._guarded(self._ranked[0]):
                    self._submit_alone()
        finally:
            self._crew.stop()
            shutil.rmtree(self._places.scratch, ignore_errors=True)
            self._note_end()

    @contextmanager
    def _guarded(self, name: str) -> Iterator[None]:
        """Whatever goes wrong with a step outside its process costs only that step, too."""
        try:
            yield
        except Exception as error:  # tables, libraries and disks have their own ways to fail
            self._journal.note("failure", name=name, reason=told(error))

    @property
    def _is_news(self) -> bool:
        """Whether there are models that no blend has tried."""
        return self._offered < len(self._verdicts)

    def _begin(self) -> None:
        """The best that can be said without looking at any row."""
        problem, folds = self._problem, self._folds
        ways = {"constant": held_out_constants(problem, folds)}
        if folds.is_in_time:
            ways["latest constant"] = held_out_constants(problem, folds, LATEST)
        for name, one in ways.items():
            with self._guarded(name):
                verdict = judge(problem, folds, one.held_out)
                self._note_experiment(name, verdict, self._clock.elapsed)
                self._submit(alone(problem, folds, name, one, verdict))

    def _plan(self, limits: Limits) -> Iterator[Step]:
        for step in steps(self._bench):
            if step.is_model and limits.steps is not None and self._models >= limits.steps:
                return
            yield step

    def _occupy(self, plan: Iterator[Step], waiting: Step | None) -> Step | None:
        """Give everybody who is free something to do."""
        while not self._crew.is_full and self._clock.left > LEAST_SECONDS:
            if waiting is None:  # not before it can begin: what is best may have changed by then
                waiting = next(plan, None)
            left = self._clock.left - self._writing_reserve
            room = left - (BLENDS_RESERVED * self._blend_seconds if self._verdicts else 0.0)
            is_last_chance = room < LEAST_STEP
            if self._is_time_to_blend(is_last_chance or waiting is None):
                self._offered = len(self._verdicts)
                self._crew.start(BLEND, self._blend, max(LEAST_STEP, left))
            elif waiting is not None and not is_last_chance:
                if waiting.after in self._crew.at_work:
                    break
                if waiting.after is not None and not self._store.has(waiting.after):
                    waiting = None
                    continue
                seconds = max(LEAST_SECONDS, waiting.share * self._clock.seconds)
                given = max(LEAST_STEP, min(seconds, room))
                if self._is_worth(waiting, given):
                    self._crew.start(waiting.name, self._kept(waiting, given), given)
                    self._models += waiting.is_model
                    self._families[waiting.name] = waiting.family or waiting.name
                waiting = None
            else:
                break
        return waiting

    def _is_worth(self, step: Step, seconds: float) -> bool:
        """Whether a step has time enough, as far as others of its family tell."""
        return seconds >= SHARE_OF_QUICKEST * self._quickest.get(step.family or step.name, 0.0)

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
        took = round(outcome.seconds, 2)
        self._bench.end(outcome.name)
        if outcome.failure is not None:
            self._journal.note("failure", name=outcome.name, reason=outcome.failure, took=took)
            if outcome.name == BLEND:
                self._submit_alone()
                if self._most_blended > FEWEST_BLENDED:  # fewer may do
                    self._most_blended = max(FEWEST_BLENDED, self._most_blended // 2)
                    self._offered = self._blended
        elif isinstance(outcome.result, Blend):
            self._blend_seconds = max(LEAST_FOR_BLEND, outcome.seconds)
            self._blend_after = self._clock.elapsed + WORK_FOR_BLEND * outcome.seconds
            name = f"{BLEND}: {outcome.result.name}"
            self._note_experiment(name, outcome.result.verdict, outcome.seconds)
            self._submit(outcome.result)
            self._blended = self._offered
        elif isinstance(outcome.result, Verdict):
            self._verdicts[outcome.name] = outcome.result
            self._bench.gains[outcome.name] = outcome.result.gain
            family = self._families[outcome.name]
            self._quickest[family] = min(outcome.seconds, self._quickest.get(family, math.inf))
            self._note_experiment(outcome.name, outcome.result, outcome.seconds)
            if len(self._verdicts) == 1:
                self._submit_alone()
                self._offered = self._blended = 1
        else:
            self._journal.note("prepared", name=outcome.name, took=took)
            for found in outcome.result.found if outcome.result is not None else ():
                self._journal.note(outcome.result.kind, **found)

    def _blend(self) -> Blend:
        """The best of what there is so far."""
        end_in(max(LEAST_SECONDS, SHARE_OF_BLEND * self._clock.left))
        library = {
            name: self._store.load(f"prediction {name}")
            for name in self._ranked[: self._most_blended]
        }
        return best_blend(
            self._problem, self._folds, library, self._places.seed, self._bench.threads
        )

    @property
    def _ranked(self) -> list[str]:
        """All models, the best ones first."""
        return sorted(self._verdicts, key=lambda name: self._verdicts[name].gain, reverse=True)

    def _submit_alone(self) -> None:
        """Submit the best model by itself, for want of a blend that has it."""
        name = self._ranked[0]
        if self._best is None or name != self._best.name:
            verdicts = {one: self._verdicts[one] for one in self._ranked}
            self._submit(
                best_alone(
                    self._problem,
                    self._folds,
                    verdicts,
                    lambda one: self._store.load(f"prediction {one}"),
                )
            )

    @property
    def _writing_reserve(self) -> float:
        return WRITING_RESERVED * self._writing_seconds

    def _submit(self, blend: Blend) -> None:
        """Submit predictions if they are better than those before, and there is time to write."""
        is_better = self._best is None or blend.is_better_than(self._best, self._problem)
        if is_better:
            begun = self._clock.elapsed
            table = self._problem.write(blend.finished)
            self._writing_seconds = max(self._writing_seconds, seconds_to_write(table))
            if self._places.seconds - self._clock.elapsed < self._writing_reserve:
                self._journal.note("unfinished", name=f"writing {blend.name}")
                return
            is_submitted = self._submitter.submit(table, blend.name)
            self._writing_seconds = self._clock.elapsed - begun
            if not is_submitted:
                return
            self._best = blend
            self._offers.add(blend)

    def _note_end(self) -> None:
        """What is left, and how good it should be."""
        verdict = None if self._best is None else self._offers.verdict_of(self._best)
        self._journal.note(
            "end", origin=self._submitter.origin,
            score=verdict and verdict.score, error=verdict and verdict.error,
        )  # fmt: skip

    def _note_experiment(self, name: str, verdict: Verdict, seconds: float) -> None:
        self._journal.note(
            "experiment", name=name, score=verdict.score, error=verdict.error,
            took=round(seconds, 2),
        )  # fmt: skip
