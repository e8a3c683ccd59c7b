"""Scores by which predictions are compared, as descriptions of competitions name them.

What a score wants of a prediction differs: numbers, probabilities (one column a class or mark),
or decisions (one class a row, or yes and no for each mark).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Wants = Literal["numbers", "probabilities", "decisions", "grades", "ranking"]
TINY = 1e-15


@dataclass(frozen=True)
class Metric:
    """A score.

    Attributes:
        name: What it is called.
        is_higher_better: Its direction.
        wants: What predictions have to be.
        function: Called with the target and such predictions.
        is_logarithmic: Whether errors are those of logarithms.
    """

    name: str
    is_higher_better: bool
    wants: Wants
    function: Callable[[Array, Array], float]
    is_logarithmic: bool = False

    def __call__(self, target: Array, predicted: Array) -> float:
        """The score of predictions."""
        return float(self.function(target, predicted))

    def gain(self, score: float) -> float:
        """A score as a number of which more is better; the least there is if it is none."""
        if not np.isfinite(score):
            return -np.inf
        return score if self.is_higher_better else -score


def pooled(metric: Metric) -> Metric:
    """A score of all columns as if they were one, where rows ask for one value each."""

    def score(target: Array, predicted: Array) -> float:
        return metric.function(np.ravel(target), np.ravel(predicted))

    return replace(metric, name=f"{metric.name} of all", function=score)


def codes_of(target: Array) -> NDArray[np.int64]:
    """The class of each row, as its place in the list of classes."""
    return np.asarray(target).astype(np.int64).ravel()


def _columns(values: Array) -> Array:
    values = np.asarray(values, dtype=float)
    return values[:, None] if values.ndim == 1 else values


def _by_column(function: Callable[[Array, Array], float]) -> Callable[[Array, Array], float]:
    """The mean over columns; those whose target allows no score do not count."""

    def mean(target: Array, predicted: Array) -> float:
        truth, guess = _columns(target), _columns(predicted)
        scores = [function(truth[:, k], guess[:, k]) for k in range(truth.shape[1])]
        known = [score for score in scores if np.isfinite(score)]
        return float(np.mean(known)) if known else float("nan")

    return mean


def _rmse(target: Array, predicted: Array) -> float:
    return float(np.sqrt(np.mean((target - predicted) ** 2)))


def _rmsle(target: Array, predicted: Array) -> float:
    return _rmse(np.log1p(np.maximum(target, 0)), np.log1p(np.maximum(predicted, 0)))


def _mae(target: Array, predicted: Array) -> float:
    return float(np.mean(np.abs(target - predicted)))


def _mape(target: Array, predicted: Array) -> float:
    return float(np.mean(np.abs(target - predicted) / np.maximum(np.abs(target), TINY)))


def _r2(target: Array, predicted: Array) -> float:
    return 1.0 - float(np.sum((target - predicted) ** 2)) / max(
        float(np.sum((target - target.mean()) ** 2)), TINY
    )


def _pearson(target: Array, predicted: Array) -> float:
    if np.ptp(target) == 0:
        return float("nan")
    if np.ptp(predicted) == 0:  # what says nothing must not do better by being left out of means
        return 0.0
    return float(np.corrcoef(target, predicted)[0, 1])


def _spearman(target: Array, predicted: Array) -> float:
    from scipy.stats import rankdata

    return _pearson(rankdata(target), rankdata(predicted))


def _auc(target: Array, predicted: Array) -> float:
    """The area under the ROC curve, ties counting half."""
    from scipy.stats import rankdata

    positive = np.asarray(target) > 0.5
    many, few = int(positive.sum()), int((~positive).sum())
    if not many or not few:
        return float("nan")
    return (float(rankdata(predicted)[positive].sum()) - many * (many + 1) / 2) / (many * few)


def _average_precision(target: Array, predicted: Array) -> float:
    """The mean precision where hits are found; equal predictions are found all at once."""
    order = np.argsort(-predicted, kind="stable")
    ranked, hits = predicted[order], (np.asarray(target) > 0.5)[order]
    if not hits.any():
        return float("nan")
    last = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    found = np.cumsum(hits)[last]
    return float((np.diff(found, prepend=0) * found / (last + 1)).sum() / found[-1])


def _of_second_class(function: Callable[[Array, Array], float]) -> Callable[[Array, Array], float]:
    """A score of yes and no, for two classes of which the second one is yes."""

    def score(target: Array, predicted: Array) -> float:
        guess = _columns(predicted)
        if guess.shape[1] == 2 and np.asarray(target).ndim == 1:
            return function(np.asarray(target, dtype=float), guess[:, 1])
        if np.asarray(target).ndim == 1 and guess.shape[1] > 2:
            return _by_column(function)(one_hot(target, guess.shape[1]), guess)
        return _by_column(function)(target, guess)

    return score


def one_hot(target: Array, classes: int) -> Array:
    """A column for each class, with 1 where it is the one."""
    return np.eye(classes)[codes_of(target)]


def _log_loss(target: Array, predicted: Array) -> float:
    guess = np.clip(_columns(predicted), TINY, 1 - TINY)
    if np.asarray(target).ndim == 1:
        chosen = guess[np.arange(len(guess)), codes_of(target)]
        return float(-np.mean(np.log(chosen / guess.sum(axis=1))))
    truth = _columns(target)
    return float(-np.mean(truth * np.log(guess) + (1 - truth) * np.log(1 - guess)))


def _accuracy(target: Array, predicted: Array) -> float:
    if np.asarray(target).ndim == 1:
        return float(np.mean(codes_of(target) == codes_of(predicted)))
    return float(np.mean((_columns(target) > 0.5) == (_columns(predicted) > 0.5)))


def _error_rate(target: Array, predicted: Array) -> float:
    return 1.0 - _accuracy(target, predicted)


def _counts(target: Array, predicted: Array) -> tuple[Array, Array, Array]:
    """True positives, false positives and false negatives of each class or mark."""
    if np.asarray(target).ndim == 1:
        truth, guess = codes_of(target), codes_of(predicted)
        size = int(max(truth.max(initial=0), guess.max(initial=0))) + 1
        hits = np.bincount(truth[truth == guess], minlength=size)
        given, wanted = np.bincount(guess, minlength=size), np.bincount(truth, minlength=size)
    else:
        yes, said = _columns(target) > 0.5, _columns(predicted) > 0.5
        hits, given, wanted = (yes & said).sum(0), said.sum(0), yes.sum(0)
    return hits.astype(float), (given - hits).astype(float), (wanted - hits).astype(float)


def _balanced_accuracy(target: Array, predicted: Array) -> float:
    hits, _, missed = _counts(target, predicted)
    there = hits + missed > 0
    return float(np.mean(hits[there] / (hits + missed)[there]))


def _f_score(beta: float, average: str) -> Callable[[Array, Array], float]:
    def score(target: Array, predicted: Array) -> float:
        hits, wrong, missed = _counts(target, predicted)
        if average == "binary" and len(hits) == 2:
            hits, wrong, missed = hits[1:], wrong[1:], missed[1:]
        if average == "micro":
            hits, wrong, missed = (part.sum(keepdims=True) for part in (hits, wrong, missed))
        weight = beta**2
        bottom = (1 + weight) * hits + weight * missed + wrong
        there = hits + wrong + missed > 0
        each = (1 + weight) * hits[there] / np.maximum(bottom[there], TINY)
        return float(each.mean()) if there.any() else 0.0

    return score


def _f_of_rows(target: Array, predicted: Array) -> float:
    yes, said = _columns(target) > 0.5, _columns(predicted) > 0.5
    both, all_of_them = (yes & said).sum(1), yes.sum(1) + said.sum(1)
    return float(np.mean(np.where(all_of_them > 0, 2 * both / np.maximum(all_of_them, 1), 1.0)))


def _mcc(target: Array, predicted: Array) -> float:
    from sklearn.metrics import matthews_corrcoef

    if np.asarray(target).ndim == 1:
        return float(matthews_corrcoef(codes_of(target), codes_of(predicted)))
    return _by_column(lambda t, p: float(matthews_corrcoef(t > 0.5, p > 0.5)))(target, predicted)


def _kappa(target: Array, predicted: Array) -> float:
    """Cohen's kappa with quadratic weights, of whole grades.

    What is expected by chance follows from means and spreads, so that grades may lie far apart.
    """
    truth, guess = (np.rint(np.ravel(one)).astype(float) for one in (target, predicted))
    by_chance = float(truth.var() + guess.var() + (truth.mean() - guess.mean()) ** 2)
    return 1.0 - float(np.mean((truth - guess) ** 2)) / by_chance if by_chance else 0.0


def precision_at(most: int) -> Metric:
    """The precision of so many guesses a row, of which one can be right: the sooner the better."""

    def score(target: Array, predicted: Array) -> float:
        guess = _columns(predicted)
        truth = codes_of(target)
        own = guess[np.arange(len(guess)), truth][:, None]
        # Of equal guesses those of the first classes are written first.
        is_before = (guess == own) & (np.arange(guess.shape[1]) < truth[:, None])
        rank = ((guess > own) | is_before).sum(1) + 1
        return float(np.mean(np.where(rank <= most, 1.0 / rank, 0.0)))

    return Metric(f"map@{most}", True, "ranking", score)


def _lwlrap(target: Array, predicted: Array) -> float:
    truth, guess = _columns(target) > 0.5, _columns(predicted)
    total, marks = 0.0, 0
    for row, scores in zip(truth, guess, strict=True):
        own = scores[row]
        at_least = (scores[:, None] >= own).sum(0)
        total += float(((own[:, None] >= own).sum(0) / np.maximum(at_least, 1)).sum())
        marks += len(own)
    return total / max(marks, 1)


def _divergence(target: Array, predicted: Array) -> float:
    truth, guess = _columns(target), np.clip(_columns(predicted), 1e-4, 1)
    guess = guess / guess.sum(axis=1, keepdims=True)
    ratio = np.where(truth > 0, np.log(np.maximum(truth, TINY) / guess), 0.0)
    return float((truth * ratio).sum(1).mean())


METRICS = {
    metric.name: metric
    for metric in (
        Metric("rmse", False, "numbers", _by_column(_rmse)),
        Metric("rmsle", False, "numbers", _by_column(_rmsle), is_logarithmic=True),
        Metric("mae", False, "numbers", _by_column(_mae)),
        Metric("mape", False, "numbers", _by_column(_mape), is_logarithmic=True),
        Metric("r2", True, "numbers", _by_column(_r2)),
        Metric("pearson", True, "numbers", _by_column(_pearson)),
        Metric("spearman", True, "numbers", _by_column(_spearman)),
        Metric("auc", True, "probabilities", _of_second_class(_auc)),
        Metric("average precision", True, "probabilities", _of_second_class(_average_precision)),
        Metric("log loss", False, "probabilities", _log_loss),
        Metric("divergence", False, "numbers", _divergence),
        Metric("lwlrap", True, "probabilities", _lwlrap),
        Metric("accuracy", True, "decisions", _accuracy),
        Metric("error rate", False, "decisions", _error_rate),
        Metric("balanced accuracy", True, "decisions", _balanced_accuracy),
        Metric("f1", True, "decisions", _f_score(1, "binary")),
        Metric("macro f1", True, "decisions", _f_score(1, "macro")),
        Metric("micro f1", True, "decisions", _f_score(1, "micro")),
        Metric("f0.5", True, "decisions", _f_score(0.5, "binary")),
        Metric("f2", True, "decisions", _f_score(2, "micro")),
        Metric("f1 of rows", True, "decisions", _f_of_rows),
        Metric("mcc", True, "decisions", _mcc),
        Metric("kappa", True, "grades", _kappa),
    )
}
