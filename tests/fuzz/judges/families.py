"""What judges of many competitions have in common; slow, and as plain as the fact sheets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from tests.fuzz.reading import DontCareError, by_id, numbers, require, require_columns

EPSILON = 2.220446049250313e-16


def in_order(
    table: pd.DataFrame, answers: pd.DataFrame, key: str, *columns: str
) -> dict[str, list[Any]]:
    """The submitted cells of some columns, in the order of the answers.

    Invalid unless columns, row count and ids are those that are asked for.
    """
    require_columns(table, key, *columns)
    require(len(table) == len(answers), "row count")
    order = by_id(table, key, answers)
    cells = {column: table[column].tolist() for column in columns}
    return {column: [own[row] for row in order] for column, own in cells.items()}


def in_range(column: pd.Series[Any], low: float, high: float) -> None:
    """Invalid unless all cells are numbers within bounds."""
    require(all(low <= cell <= high for cell in numbers(column)), "range or missing")


def finite(column: pd.Series[Any]) -> None:
    """Invalid unless all cells are finite numbers."""
    require(all(math.isfinite(cell) for cell in numbers(column)), "missing or infinite")


def whole(column: pd.Series[Any]) -> None:
    """Invalid unless all cells are whole numbers; open for those beyond 64 bits."""
    finite(column)
    cells = numbers(column)
    require(all(cell == math.floor(cell) for cell in cells), "fraction")
    if any(abs(cell) >= 2**63 for cell in cells):
        raise DontCareError("huge label")


def auc(truth: Sequence[Any], guesses: Sequence[float]) -> float:
    """How often a positive outranks a negative; ties count half."""
    yes = [guess for guess, true in zip(guesses, truth, strict=True) if true]
    no = [guess for guess, true in zip(guesses, truth, strict=True) if not true]
    return sum((a > b) + (a == b) / 2 for a in yes for b in no) / (len(yes) * len(no))


def auc_of(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The area under the ROC curve of probabilities, as the shared helper computes it."""
    cells = in_order(table, answers, key, target)
    in_range(table[target], 0, 1)
    return auc(answers[target].tolist(), cells[target])


def log_loss(one_hot: Sequence[Sequence[int]], chances: Sequence[Sequence[float]]) -> float:
    """Mean negative logarithm of what the true class was given."""
    losses = []
    for truth, row in zip(one_hot, chances, strict=True):
        chance = float(row[list(truth).index(1)])
        losses.append(-math.log(min(max(chance, EPSILON), 1 - EPSILON)))
    return math.fsum(losses) / len(losses)


def share(hits: Sequence[bool]) -> float:
    """How many of all."""
    return sum(hits) / len(hits)


def accuracy_of(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The share of right labels; a column of words is right nowhere."""
    cells = in_order(table, answers, key, target)
    column = table[target]
    if pd.api.types.is_numeric_dtype(column.dtype):
        whole(column)
    else:
        require(not column.isna().any(), "missing")
    pairs = zip(cells[target], answers[target].tolist(), strict=True)
    return share([guess == truth for guess, truth in pairs])


def macro_f1(truth: Sequence[int], guesses: Sequence[int]) -> float:
    """The mean F1 of all classes that are true or guessed somewhere."""
    pairs = list(zip(truth, guesses, strict=True))
    scores = []
    for label in {*truth, *guesses}:
        both = sum(true == guess == label for true, guess in pairs)
        either = sum((true == label) + (guess == label) for true, guess in pairs)
        scores.append(2 * both / either)
    return math.fsum(scores) / len(scores)


def cut_labels(column: pd.Series[Any]) -> list[int]:
    """What Python's ``int`` makes of each cell; invalid where it makes nothing."""
    try:
        cells = [int(cell) for cell in column.tolist()]
    except (ValueError, OverflowError) as error:
        require(False, str(error))
    require(all(abs(cell) < 2**63 for cell in cells), "beyond 64 bits")
    return cells


def cut_macro_f1_of(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """The macro F1 of labels that are cut to whole numbers."""
    cells = in_order(table, answers, key, target)
    return macro_f1(answers[target].tolist(), cut_labels(pd.Series(cells[target], dtype=object)))


def micro_f1(truth: Sequence[set[str]], guesses: Sequence[set[str]]) -> float:
    """The F1 of all pairs of a row and a tag."""
    both = sum(len(right & given) for right, given in zip(truth, guesses, strict=True))
    either = sum(map(len, truth)) + sum(map(len, guesses))
    return 2 * both / either if either else 0.0


def log_loss_of(table: pd.DataFrame, answers: pd.DataFrame, key: str) -> float:
    """The log loss of rows that are distributions over all columns of the answers but the key."""
    classes = [name for name in answers.columns if name != key]
    cells = in_order(table, answers, key, *classes)
    for name in classes:
        in_range(table[name], 0, 1)
    rows = list(zip(*cells.values(), strict=True))
    require(all(abs(math.fsum(row) - 1) <= 1e-6 + 1e-5 for row in rows), "sum")
    return log_loss(answers[classes].to_numpy().tolist(), rows)


def quadratic_kappa_of(table: pd.DataFrame, answers: pd.DataFrame, key: str, target: str) -> float:
    """Agreement beyond chance; labels are as far apart as their places among those that occur."""
    cells = in_order(table, answers, key, target)
    whole(table[target])
    pairs = list(zip(cells[target], answers[target].tolist(), strict=True))
    labels = sorted({label for pair in pairs for label in pair})
    place = {label: number for number, label in enumerate(labels)}
    observed = sum((place[guess] - place[truth]) ** 2 for guess, truth in pairs)
    crossed = [(place[guess] - place[truth]) ** 2 for guess, _ in pairs for _, truth in pairs]
    expected = sum(crossed) / len(pairs)
    return 1 - observed / expected if expected else math.nan
