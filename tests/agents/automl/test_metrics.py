"""The scores that the agent compares predictions by agree with those of a library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

from mlebench.agents.automl.automl.description import metric_of
from mlebench.agents.automl.automl.metrics import METRICS, one_hot, precision_at
from tests.conftest import CHECKOUT

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 200)
YES = RNG.integers(0, 2, 200)
SHARES = RNG.dirichlet([1.0, 2.0, 3.0], 200)
CHANCE = np.round(RNG.random(200), 1)  # with ties
GUESSES = RNG.integers(0, 3, 200)
MARKS, SCORES = RNG.integers(0, 2, (200, 4)), RNG.random((200, 4))
VALUES = RNG.normal(3.0, 1.0, (200, 2))
SAID = VALUES + RNG.normal(0.0, 0.3, (200, 2))


@pytest.mark.parametrize(
    ("name", "target", "predicted", "expected"),
    [
        ("auc", YES, np.column_stack([1 - CHANCE, CHANCE]), metrics.roc_auc_score(YES, CHANCE)),
        ("auc", MARKS, SCORES, metrics.roc_auc_score(MARKS, SCORES, average="macro")),
        ("average precision", YES, SCORES[:, :1].repeat(2, 1),
         metrics.average_precision_score(YES, SCORES[:, 0])),
        ("log loss", CODES, SHARES, metrics.log_loss(CODES, SHARES)),
        ("accuracy", CODES, GUESSES, metrics.accuracy_score(CODES, GUESSES)),
        ("balanced accuracy", CODES, GUESSES, metrics.balanced_accuracy_score(CODES, GUESSES)),
        ("f1", YES, CHANCE > 0.5, metrics.f1_score(YES, CHANCE > 0.5)),
        ("macro f1", CODES, GUESSES, metrics.f1_score(CODES, GUESSES, average="macro")),
        ("micro f1", MARKS, SCORES > 0.5, metrics.f1_score(MARKS, SCORES > 0.5, average="micro")),
        ("f0.5", YES, CHANCE > 0.5, metrics.fbeta_score(YES, CHANCE > 0.5, beta=0.5)),
        ("f1 of rows", MARKS, SCORES > 0.5,
         metrics.f1_score(MARKS, SCORES > 0.5, average="samples", zero_division=1)),
        ("mcc", CODES, GUESSES, metrics.matthews_corrcoef(CODES, GUESSES)),
        ("kappa", CODES, GUESSES, metrics.cohen_kappa_score(CODES, GUESSES, weights="quadratic")),
        ("rmse", VALUES, SAID,
         np.mean([metrics.mean_squared_error(VALUES[:, k], SAID[:, k]) ** 0.5 for k in (0, 1)])),
        ("mae", VALUES[:, :1], SAID[:, :1], metrics.mean_absolute_error(VALUES[:, 0], SAID[:, 0])),
        ("r2", VALUES[:, :1], SAID[:, :1], metrics.r2_score(VALUES[:, 0], SAID[:, 0])),
        ("pearson", VALUES[:, :1], SAID[:, :1], np.corrcoef(VALUES[:, 0], SAID[:, 0])[0, 1]),
        ("lwlrap", one_hot(CODES, 3), SHARES,
         metrics.label_ranking_average_precision_score(one_hot(CODES, 3), SHARES)),
        ("map@3", CODES, SHARES,
         metrics.label_ranking_average_precision_score(one_hot(CODES, 3), SHARES)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_scores_are_those_of_the_library(
    name: str, target: np.ndarray, predicted: np.ndarray, expected: float
) -> None:
    metric = precision_at(3) if name == "map@3" else METRICS[name]
    assert metric(target, np.asarray(predicted, dtype=float)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("## Evaluation\n\nSubmissions are scored by the area under the ROC curve.\n", "auc"),
        (
            "## Evaluation\n\nRoot Mean Squared Logarithmic Error (RMSLE) for each column.\n",
            "rmsle",
        ),
        ("## Scoring\n\nThe quadratic weighted kappa; accuracy is not used.\n", "kappa"),
        ("# Title\n\nNo section here, but mean absolute error is named.", "mae"),
        ("## Evaluation\n\nMean Average Precision at 5 (MAP@5).\n", "map@5"),
        ("## Evaluation\n\nMean Average Precision at 25 (MAP@25).\n", "map@25"),
        ("## Evaluation\n\nBoxes are scored by mAP@0.5; ties by accuracy.\n", "accuracy"),
        ("## Evaluation\n\nYour file is processed and scored by the accuracy.\n", "accuracy"),
        ("## Evaluation\n\nA dialog error is no failure; RMSE counts.\n", "rmse"),
        ("## Evaluation\n\nThe pdf2 reader counts the mean absolute error.\n", "mae"),
        ("## Evaluation\n\nComputed as `roc_auc_score` does.\n", "auc"),
        ("## Evaluation\n\nThe ROCAUC of each column.\n", "auc"),
        ("## Evaluation\n\nThe $F_{2}$ score counts; accuracy does not.\n", "f2"),
        ("## Evaluation\n\nThe $F_{0.5}$ score.\n", "f0.5"),
        ("## Evaluation\n\nThe macro F-score of all.\n", "macro f1"),
        ("## Evaluation\n\nThe macro F1 score.\n\n## Prizes\n\naccuracy\n", "macro f1"),
    ],
)
def test_scores_are_recognised_by_what_descriptions_say(text: str, name: str) -> None:
    found = metric_of(text)
    assert found is not None
    assert found.name == name


def test_a_description_that_names_no_score_has_none() -> None:
    assert metric_of("# Cats\n\nTell which picture shows one.") is None


def test_nothing_of_the_agent_names_a_competition() -> None:
    names = [
        path.parent.name for path in Path(CHECKOUT, "src/mlebench/competitions").glob("*/task.py")
    ]
    folder = CHECKOUT / "src/mlebench/agents/automl"
    for path in folder.rglob("*.py"):
        text = path.read_text(encoding="utf-8").lower()
        assert [name for name in names if name in text] == [], path


@pytest.mark.parametrize("name", ["map@5", "average precision", "auc", "lwlrap"])
def test_the_order_of_rows_and_equal_guesses_tell_nothing(name: str) -> None:
    chance = np.random.default_rng(0)
    if name == "map@5":
        target, guess = np.arange(400.0) % 20, np.full((400, 20), 0.05)
    else:
        target = (np.arange(400.0) < 40)[:, None] * 1.0
        guess = np.zeros((400, 1))
        if name == "lwlrap":
            target, guess = np.hstack([target, 1 - target]), np.zeros((400, 2))
    mixed = chance.permutation(400)
    metric = precision_at(5) if name == "map@5" else METRICS[name]
    score = metric(target, guess)
    assert score == pytest.approx(metric(target[mixed], guess[mixed]))
    assert score < 0.6


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_constant_guess_is_worth_nothing_and_a_constant_truth_does_not_count(name: str) -> None:
    score = METRICS[name]
    alone = score(VALUES[:, :1], SAID[:, :1])
    constant = np.column_stack([SAID[:, 0], np.ones(200)])
    assert score(VALUES, constant) == pytest.approx(alone / 2)
    assert score(np.column_stack([VALUES[:, 0], np.ones(200)]), SAID) == pytest.approx(alone)
    assert np.isnan(score(np.ones(200), SAID[:, 0]))


def test_of_equal_guesses_the_first_are_written() -> None:
    guess = np.zeros((3, 200))
    guess[:, 7] = 0.5
    assert precision_at(5)(np.array([7.0, 3.0, 150.0]), guess) == pytest.approx((1 + 1 / 5) / 3)


def test_kappa_of_grades_that_lie_far_apart_is_that_of_their_distances() -> None:
    grades = np.array([0.0, 3.0, 9.0])
    every = list(range(10))
    expected = metrics.cohen_kappa_score(
        grades[CODES].astype(int), grades[GUESSES].astype(int), labels=every, weights="quadratic"
    )
    assert METRICS["kappa"](grades[CODES], grades[GUESSES]) == pytest.approx(expected)
    far = grades * 1e7  # a table of all grades between them would fit nowhere
    assert METRICS["kappa"](far[CODES], far[GUESSES]) == pytest.approx(expected)
