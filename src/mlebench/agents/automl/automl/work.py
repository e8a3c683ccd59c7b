"""A whole run: the sample at once, then what the form of the task allows."""

from __future__ import annotations

from pathlib import Path

from .clock import Clock, TooLateError, within
from .course import Course, Limits
from .faults import told
from .inferring import infer
from .journal import Journal
from .odd.bare import made_sample
from .odd.trying import try_all
from .places import Places
from .problem import CannotInferError, Problem
from .submitting import Submitter
from .tables import content_of, find_sample, find_tables

SHARE_FOR_READING = 0.5  # of the time that is left
SHARE_OF_MEMORY = 0.2  # for a first submission, which is asked about in a copy


def work(places: Places, limits: Limits) -> None:
    """Leave the best submission that can be made in the time."""
    clock = Clock(places.seconds)
    journal = Journal(places.logs, clock)
    submitter = Submitter(places, journal)
    journal.note(
        "begin", limit=places.seconds, memory=places.memory, cores=places.cores, seed=places.seed
    )
    _submit_first(places, clock, journal, submitter)
    try:
        course = _course(places, clock, journal, submitter)
    except CannotInferError as error:
        journal.note("no-model", reason=str(error))
        try_all(places, clock, journal, submitter)
        return
    except (Exception, TooLateError) as error:  # files of a form that nobody thought of
        journal.note("failure", name="inferring", reason=told(error))
        try_all(places, clock, journal, submitter)
        return
    try:
        course.run(limits)
    except Exception as error:  # what was submitted so far stays
        journal.note("failure", name="course", reason=told(error))


def _course(places: Places, clock: Clock, journal: Journal, submitter: Submitter) -> Course:
    """What is to be learned; nobody else keeps the rows for which there is no time."""
    with within(SHARE_FOR_READING * clock.left):
        problem = infer(places.data, places.memory)
    for reason in problem.notes:
        journal.note("unread", reason=reason)
    _note_problem(journal, problem)
    with within(clock.left):
        return Course(problem, places, clock, journal, submitter)


def _submit_first(places: Places, clock: Clock, journal: Journal, submitter: Submitter) -> None:
    """Leave something before anything is understood."""
    for origin, make in (
        ("the sample", _sample),
        ("the rows to predict as they are", made_sample),
    ):
        try:
            with within(SHARE_FOR_READING * clock.left):
                content = make(places.data, int(SHARE_OF_MEMORY * places.memory))
            if content is not None and submitter.submit_bytes(content, origin):
                return
        except (Exception, TooLateError) as error:
            journal.note("failure", name=origin, reason=told(error))


def _sample(data: Path, memory: int) -> bytes | None:
    """The sample as it is, without what it is packed in."""
    place = find_sample(find_tables(data))
    return None if place is None else content_of(place, memory)


def _note_problem(journal: Journal, problem: Problem) -> None:
    journal.note(
        "problem", predicts=problem.kind, columns=problem.columns, rows=len(problem.target),
        asked=len(problem.test), metric=problem.metric.name,
        better="higher" if problem.metric.is_higher_better else "lower",
        features=[str(name) for name in problem.train.columns][:50],
    )  # fmt: skip
