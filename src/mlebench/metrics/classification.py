"""Scores for labels and class probabilities, both under one name."""

from mlebench.metrics.labels import (
    accuracy,
    balanced_accuracy,
    f1,
    f_score,
    kappa,
    matthews_correlation,
    quadratic_kappa,
)
from mlebench.metrics.probabilities import (
    average_precision,
    binary_log_loss,
    brier_score,
    log_loss,
    mean_columnwise_roc_auc,
    roc_auc,
    weighted_roc_auc,
)

__all__ = [
    "accuracy",
    "average_precision",
    "balanced_accuracy",
    "binary_log_loss",
    "brier_score",
    "f1",
    "f_score",
    "kappa",
    "log_loss",
    "matthews_correlation",
    "mean_columnwise_roc_auc",
    "quadratic_kappa",
    "roc_auc",
    "weighted_roc_auc",
]
