"""Judges of competitions about texts."""

from __future__ import annotations

from functools import partial

from tests.fuzz.judges.families import accuracy_of, quadratic_kappa_of

JUDGES = {
    "learning-agency-lab-automated-essay-scoring-2": partial(
        quadratic_kappa_of, key="essay_id", target="score"
    ),
    "movie-review-sentiment-analysis-kernels-only": partial(
        accuracy_of, key="PhraseId", target="Sentiment"
    ),
}
