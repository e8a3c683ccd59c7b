"""What a description says about how submissions are scored."""

from __future__ import annotations

import re

from .metrics import METRICS, Metric

SECTION = re.compile(
    r"^#+[^\n]*\b(?:evaluation|scoring|metric)\b[^\n]*\n(.*?)(?=^#+ |\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
NAMED: tuple[tuple[str, str], ...] = (
    (r"logarithmic error|rmsle|log error", "rmsle"),
    (r"quadratic weight|weighted kappa|\bqwk\b|cohen'?s kappa", "kappa"),
    (r"kullback|kl[- ]divergence", "divergence"),
    (r"log[- ]?loss|logarithmic loss|cross[- ]entropy", "log loss"),
    (r"lwlrap|label[- ]ranking average precision", "lwlrap"),
    (r"matthews|\bmcc\b", "mcc"),
    (r"macro[- ](?:averaged )?f1|macro f|f1 score of each|mean f1 over", "macro f1"),
    (r"micro[- ](?:averaged )?f1", "micro f1"),
    (r"mean f1|f1[- ]score of (?:each|every) (?:row|image|photo)|sample[- ]averaged", "f1 of rows"),
    (r"f_?\{?2\}?\b|f2[- ]score", "f2"),
    (r"f_?\{?0\.5\}?", "f0.5"),
    (r"\bf_?1\b|f1[- ]score|f-?score|f-?measure", "f1"),
    (r"balanced accuracy|mean recall|average recall", "balanced accuracy"),
    (r"roc|area under the (?:receiver|curve)|\bauc\b", "auc"),
    (r"average precision \(ap\)|precision[- ]recall curve|\bpr[- ]auc\b", "average precision"),
    (r"mean absolute percentage|\bmape\b", "mape"),
    (r"mean absolute error|\bmae\b", "mae"),
    (r"root[- ]mean[- ]squared?|\brmse\b|\bmcrmse\b|mean squared error|\bmse\b", "rmse"),
    (r"spearman", "spearman"),
    (r"pearson", "pearson"),
    (r"r-?squared|coefficient of determination|\br2\b|r\^2", "r2"),
    (r"classification error|error rate|share .{0,60}wrong|misclassif", "error rate"),
    (r"accuracy|share of .{0,60}(?:right|correct)", "accuracy"),
)
GUESSES = re.compile(r"(?:map|precision|first \w+ guesses \(map)\s*@\s*\(?(\d+)", re.IGNORECASE)
NEAR = 80  # characters within which a more telling name is preferred


def metric_of(description: str) -> Metric | None:
    """The score that a description speaks of first, in its section on evaluation if it has one."""
    sections = SECTION.findall(description)
    for text in (" ".join(sections), description):
        lowered = text.lower()
        if found := GUESSES.search(lowered):
            return METRICS.get(f"map@{found.group(1)}")
        places = [
            (match.start(), rank, name)
            for rank, (pattern, name) in enumerate(NAMED)
            if (match := re.search(pattern, lowered, re.DOTALL))
        ]
        if places:
            first = min(place for place, _, _ in places)
            # A more telling name is looked for first, if it follows at once.
            near = [(rank, name) for place, rank, name in places if place <= first + NEAR]
            return METRICS[min(near)[1]]
    return None
