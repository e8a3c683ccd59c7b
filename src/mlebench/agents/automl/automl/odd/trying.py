"""Simple answers of all families, tried one after the other, in a process of their own."""

from __future__ import annotations

import shutil

from ..clock import Clock
from ..crew import Crew, Outcome
from ..faults import told
from ..journal import Journal
from ..places import Places
from ..submitting import Submitter
from . import lists, masks, orders, paths, pixels, series, spans, words
from .looking import Family, look_at

FAMILIES: dict[str, Family] = {
    "parts of texts": spans.answers,
    "whole texts": words.answers,
    "lists": lists.answers,
    "orders": orders.answers,
    "masks": masks.answers,
    "pixels": pixels.answers,
    "series": series.answers,
    "paths": paths.answers,
}
SHARE_OF_MEMORY = 0.85


def try_all(places: Places, clock: Clock, journal: Journal, submitter: Submitter) -> None:
    """Leave the best of simple answers, unless the sample is better than all of them."""
    outcome, failure = None, "it took too long"
    try:
        outcome = _outcome(places, clock, journal, submitter)
    except OSError as error:  # where nothing can be kept, what was submitted so far stays
        failure = told(error)
    if outcome is None or outcome.failure is not None:
        reason = outcome.failure if outcome else failure
        journal.note("failure", name="simple answers", reason=reason)
    origin, score = (outcome.result if outcome else None) or (submitter.origin, None)
    journal.note("end", origin=origin, score=score)


def _outcome(
    places: Places, clock: Clock, journal: Journal, submitter: Submitter
) -> Outcome | None:
    """What became of trying; None if it took too long."""
    shutil.rmtree(places.scratch, ignore_errors=True)
    places.scratch.mkdir(parents=True)
    crew = Crew(1, int(SHARE_OF_MEMORY * places.memory), places.scratch)
    try:
        crew.start("simple answers", lambda: _best(places, journal, submitter), clock.left)
        return crew.wait(clock.left + 1)
    finally:
        crew.stop()
        shutil.rmtree(places.scratch, ignore_errors=True)


def _best(places: Places, journal: Journal, submitter: Submitter) -> tuple[str, float] | None:
    """Submit whatever is better than what was before; what it was in the end."""
    look = look_at(places.data, places.memory)
    if look is None:
        return None
    gained, best = 0.0, None
    for name, family in FAMILIES.items():
        try:
            for answer in family(look):
                journal.note("experiment", name=answer.name, score=answer.score, usual=answer.usual)
                gain = answer.score - answer.usual
                if gain > gained and submitter.submit(answer.table, answer.name):
                    gained, best = gain, (answer.name, answer.score)
        except Exception as error:  # a failing family costs only itself
            journal.note("failure", name=name, reason=f"{type(error).__name__}: {error}"[:500])
    return best
