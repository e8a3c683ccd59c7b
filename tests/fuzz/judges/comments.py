"""Judges of competitions about comments, tags and opinions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd

from tests.fuzz.judges.families import auc, auc_of, in_order, in_range, log_loss, micro_f1
from tests.fuzz.reading import InvalidError, require, require_columns, texts


def battles(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    outcomes = ["winner_model_a", "winner_model_b", "winner_tie"]
    cells = in_order(table, answers, "id", *outcomes)
    for outcome in outcomes:
        in_range(table[outcome], 0, 1)
    rows = list(zip(*cells.values(), strict=True))
    require(all(round(math.fsum(row), 6) == 1 for row in rows), "sum")
    return log_loss(answers[outcomes].to_numpy().tolist(), rows)


def tagged(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The micro F1 of tags; those that no answer has are dropped."""
    in_order(table, answers, key, target)
    as_text = table.assign(**{target: texts(table[target])})
    cells = in_order(as_text, answers, key, target)[target]
    truth = [set(text.split()) for text in texts(answers[target])]
    known = set().union(*truth)
    return micro_f1(truth, [set(text.split()) & known for text in cells])


def icebergs(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    chances = in_order(table, answers, "id", "is_iceberg")["is_iceberg"]
    in_range(table["is_iceberg"], 0, 1)
    truth = [[1 - label, label] for label in answers["is_iceberg"].tolist()]
    return log_loss(truth, [(1 - chance, chance) for chance in chances])


def ratings(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    targets = [name for name in answers.columns if name != "qa_id"]
    require_columns(table, "qa_id", *targets)
    require(len(table.columns) == 31, "column count")
    require(len(table) == len(answers), "row count")
    # Ids are not compared, and this sort decides about repeated ones.
    given, wanted = table.sort_values("qa_id"), answers.sort_values("qa_id")
    values = [spearman(given[name].tolist(), wanted[name].tolist()) for name in targets]
    return math.fsum(values) / len(values)


def spearman(guesses: Sequence[Any], truth: Sequence[float]) -> float:
    """The correlation of the ranks; texts have one, too."""
    if any(guess != guess for guess in guesses) or len(set(guesses)) == 1:
        return math.nan
    pairs = list(zip(ranks(guesses), ranks(truth), strict=True))
    middle = (len(pairs) + 1) / 2
    both = sum((one - middle) * (other - middle) for one, other in pairs)
    spreads = [sum((rank - middle) ** 2 for rank in side) for side in zip(*pairs, strict=True)]
    return both / math.sqrt(spreads[0] * spreads[1])


def ranks(values: Sequence[Any]) -> list[float]:
    """How many values are smaller, equal ones and the value itself counting half."""
    return [
        sum(other < value for other in values) + (1 + values.count(value)) / 2 for value in values
    ]


def sounds(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    """The mean precision over all pairs of a clip and a sound in it."""
    require(list(table.columns) == list(answers.columns), "columns")
    names = [name for name in answers.columns if name != "fname"]
    cast = {name: as_floats(table[name].tolist()) for name in names}
    cells = in_order(table.assign(**cast), answers, "fname", *names)
    precisions = []
    for row, truth in enumerate(answers[names].to_numpy().tolist()):
        scores = [cells[name][row] for name in names]
        require(all(map(math.isfinite, scores)), "missing or infinite")
        for own in (score for score, true in zip(scores, truth, strict=True) if true):
            as_high = [true for score, true in zip(scores, truth, strict=True) if score >= own]
            precisions.append(sum(as_high) / len(as_high))
    return math.fsum(precisions) / len(precisions)


def as_floats(cells: Sequence[Any]) -> list[float]:
    """What Python's ``float`` makes of each cell; invalid where it makes nothing."""
    try:
        return [float(cell) for cell in cells]
    except ValueError as error:
        raise InvalidError("word") from error


IDENTITIES = (
    "male",
    "female",
    "homosexual_gay_or_lesbian",
    "christian",
    "jewish",
    "muslim",
    "black",
    "white",
    "psychiatric_or_mental_illness",
)


def biases(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    """All sides are cut at one half, which makes an AUC the mean of two rates."""
    found = [name for name in ("prediction", "toxicity") if name in table.columns]
    require(len(found) == 1, "no column, or both")
    cells = in_order(table, answers, "id", *found)[found[0]]
    require(not any(isinstance(cell, str) for cell in cells), "text")
    guesses, toxic = [cell >= 0.5 for cell in cells], (answers["toxicity"] >= 0.5).tolist()
    everywhere = [True] * len(toxic)
    means = [two_rates(toxic, guesses, everywhere)]
    groups = [(answers[identity] >= 0.5).tolist() for identity in IDENTITIES]
    for kind in ("subgroup", "bpsn", "bnsp"):
        powers = []
        for group in groups:
            pairs = list(zip(group, toxic, strict=True))
            rows = {
                "subgroup": group,
                "bpsn": [(own and not bad) or (bad and not own) for own, bad in pairs],
                "bnsp": [(own and bad) or not (own or bad) for own, bad in pairs],
            }[kind]
            area = two_rates(toxic, guesses, rows)
            powers.append(area**-5 if area else math.inf)
        means.append((sum(powers) / 9) ** (-1 / 5))
    return sum(means) / 4


def two_rates(toxic: list[bool], guesses: list[bool], rows: list[bool]) -> float:
    """The AUC of guesses that are yes or no, over some rows."""
    chosen = [row for row in zip(rows, toxic, guesses, strict=True) if row[0]]
    yes = [guess for _, true, guess in chosen if true]
    no = [not guess for _, true, guess in chosen if not true]
    return (sum(yes) / len(yes) + sum(no) / len(no)) / 2


def toxic_comments(table: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Columns go by their place, and so do rows once both tables are sorted."""
    kinds = [name for name in answers.columns if name != "id"]
    require_columns(table, "id", *kinds)
    require(len(table) == len(answers), "row count")
    is_scored = dict(zip(answers["id"], answers[kinds].sum(axis=1) >= 0, strict=True))
    require(all(one in is_scored for one in table["id"].tolist()), "unknown id")
    given, wanted = (side.set_index("id").sort_index() for side in (table, answers))
    given, wanted = (side[[is_scored[one] for one in side.index]] for side in (given, wanted))
    require(len(given) == len(wanted), "scored rows")
    require(len(given.columns) == len(kinds), "column count")
    areas = []
    for place, kind in enumerate(kinds):
        chances = as_floats(given.iloc[:, place].tolist())
        require(all(map(math.isfinite, chances)), "missing or infinite")
        areas.append(auc(wanted[kind].tolist(), chances))
    return math.fsum(areas) / len(areas)


JUDGES = {
    "detecting-insults-in-social-commentary": partial(auc_of, key="Comment", target="Insult"),
    "facebook-recruiting-iii-keyword-extraction": partial(tagged, key="Id", target="Tags"),
    "freesound-audio-tagging-2019": sounds,
    "google-quest-challenge": ratings,
    "jigsaw-toxic-comment-classification-challenge": toxic_comments,
    "jigsaw-unintended-bias-in-toxicity-classification": biases,
    "lmsys-chatbot-arena": battles,
    "plant-pathology-2021-fgvc8": partial(tagged, key="image", target="labels"),
    "statoil-iceberg-classifier-challenge": icebergs,
}
