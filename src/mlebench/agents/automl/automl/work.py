"""A whole run: the sample at once, then what the form of the task allows."""

from __future__ import annotations

import traceback
from pathlib import Path

from .clock import Clock
from .course import Course, Limits
from .inferring import infer
from .journal import Journal
from .odd.bare import made_sample
from .odd.trying import try_all
from .places import Places
from .problem import CannotInferError, Problem
from .submitting import Submitter, sample_bytes
from .tables import find_sample, find_tables


def work(places: Places, limits: Limits) -> None:
    """Leave the best submission that can be made in the time."""
    clock = Clock(places.seconds)
    journal = Journal(places.logs, clock)
    submitter = Submitter(places, journal)
    journal.note(
        "begin", limit=places.seconds, memory=places.memory, cores=places.cores, seed=places.seed
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
        better="higher" if problem.metric.is_higher_better else "lower",
        features=[str(name) for name in problem.train.columns][:50],
    )  # fmt: skip
