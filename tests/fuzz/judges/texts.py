"""Judges of competitions about texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from typing import Any

import pandas as pd

from tests.fuzz.judges.families import accuracy_of, in_order, quadratic_kappa_of, share
from tests.fuzz.reading import require, texts


def cast(cells: Sequence[Any], missing: str) -> list[str]:
    """What pandas 2 makes of cells that are turned into text."""
    return [missing if pd.isna(cell) else str(cell) for cell in cells]


def words(text: str) -> set[str]:
    """The words of a text in lower case."""
    return set(text.lower().split())


def tweets(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "textID", "selected_text")["selected_text"]
    total = 0.0
    for guess, truth in zip(cast(cells, ""), cast(answers["selected_text"], ""), strict=True):
        one, other = words(guess), words(truth)
        require(one or other, "no words on either side")
        total += len(one & other) / len(one | other)
    return total / len(answers)


def questions(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    in_order(table, answers, "id", "PredictionString")
    answered = table.assign(PredictionString=texts(table["PredictionString"]))
    cells = in_order(answered, answers, "id", "PredictionString")["PredictionString"]
    total = 0.0
    for guess, truth in zip(cells, cast(answers["PredictionString"], ""), strict=True):
        one, other = words(guess), words(truth)
        total += len(one & other) / len(one | other) if one or other else 0.0
    return total / len(answers)


def spoken_tokens(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "after")["after"]
    pairs = zip(cast(cells, "nan"), cast(answers["after"], "nan"), strict=True)
    return share([guess == truth for guess, truth in pairs])


def edits(first: str, second: str) -> int:
    """The characters to be added, removed or replaced, from the table of all distances."""
    above = list(range(len(second) + 1))
    for row, one in enumerate(first, start=1):
        current = [row]
        for column, other in enumerate(second, start=1):
            replaced = above[column - 1] + (one != other)
            current.append(min(above[column] + 1, current[-1] + 1, replaced))
        above = current
    return above[-1]


def molecules(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "image_id", "InChI")["InChI"]
    pairs = zip(cast(cells, "nan"), cast(answers["InChI"], "nan"), strict=True)
    return sum(edits(guess, truth) for guess, truth in pairs) / len(answers)


def sentences(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "sentence")["sentence"]
    require(all(isinstance(cell, str) for cell in cells), "missing or not text")
    pairs = zip(cells, answers["sentence"].tolist(), strict=True)
    return sum(edits(guess, truth) for guess, truth in pairs) / len(answers)


def notebooks(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    cells = in_order(table, answers, "id", "cell_order")["cell_order"]
    swaps = pairs = 0
    for guess, truth in zip(cast(cells, "nan"), answers["cell_order"].tolist(), strict=True):
        given, wanted = guess.split(), truth.split()
        require(sorted(given) == sorted(wanted), "not the notebook's cells")
        ranks = [wanted.index(cell) for cell in given]
        swaps += sum(first > second for first, second in combinations(ranks, 2))
        pairs += len(wanted) * (len(wanted) - 1)
    return 1 - 4 * swaps / pairs


JUDGES = {
    "AI4Code": notebooks,
    "billion-word-imputation": sentences,
    "bms-molecular-translation": molecules,
    "chaii-hindi-and-tamil-question-answering": questions,
    "learning-agency-lab-automated-essay-scoring-2": partial(
        quadratic_kappa_of, key="essay_id", target="score"
    ),
    "movie-review-sentiment-analysis-kernels-only": partial(
        accuracy_of, key="PhraseId", target="Sentiment"
    ),
    "text-normalization-challenge-english-language": spoken_tokens,
    "text-normalization-challenge-russian-language": spoken_tokens,
    "tweet-sentiment-extraction": tweets,
}
