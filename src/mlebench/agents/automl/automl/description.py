"""What a description says about how submissions are scored."""

from __future__ import annotations

import os
import re
from pathlib import Path

from .faults import told
from .metrics import METRICS, Metric, precision_at
from .surface import is_plain_file

SECTION = re.compile(
    r"^#+[^\n]*\b(?:evaluation|scoring|metric)\b[^\n]*\n(.*?)(?=^#+ |\Z)",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
NAMED: tuple[tuple[str, str], ...] = (
    (r"logarithmic error|\brmsle\b|\blog error", "rmsle"),
    (r"quadratic weight|weighted kappa|\bqwk\b|cohen'?s kappa", "kappa"),
    (r"kullback|\bkl[- ]divergence", "divergence"),
    (r"\blog[- ]?loss|logarithmic loss|cross[- ]entropy", "log loss"),
    (r"\blwlrap\b|label[- ]ranking average precision", "lwlrap"),
    (r"\bmatthews|\bmcc\b", "mcc"),
    (r"\bmacro[- ](?:averaged )?f1|\bmacro f(?![a-z])|f1 score of each|mean f1 over", "macro f1"),
    (r"\bmicro[- ](?:averaged )?f1", "micro f1"),
    (r"mean f1|f1[- ]score of (?:each|every) (?:row|image|photo)|sample[- ]averaged", "f1 of rows"),
    (r"\bf_?\{?2\b|\bf2[- ]score", "f2"),
    (r"\bf_?\{?0\.5\b", "f0.5"),
    (r"\bf_?\{?1\b|\bf-?score|\bf-?measure", "f1"),
    (r"balanced accuracy|mean recall|average recall", "balanced accuracy"),
    (r"\b(?:au)?roc(?:\b|_|auc)|area under the (?:receiver|curve)|\bauc\b", "auc"),
    (r"average precision \(ap\)|precision[- ]recall curve|\bpr[- ]auc\b", "average precision"),
    (r"mean absolute percentage|\bmape\b", "mape"),
    (r"mean absolute error|\bmae\b", "mae"),
    (r"root[- ]mean[- ]squared?|\brmse\b|\bmcrmse\b|mean squared error|\bmse\b", "rmse"),
    (r"\bspearman", "spearman"),
    (r"\bpearson", "pearson"),
    (r"\br-?squared|coefficient of determination|\br2\b|\br\^2", "r2"),
    (r"classification error|\berror rate|\bshare .{0,60}wrong|\bmisclassif", "error rate"),
    (r"\baccuracy\b|\bshare of .{0,60}(?:right|correct)", "accuracy"),
)
GUESSES = re.compile(r"\b(?:map|precision)\s*@\s*\(?([1-9]\d*)\b(?!\.\d)")
DESCRIPTION = "description.md"
LONGEST = 4_000_000  # characters
NEAR = 80  # characters within which a more telling name is preferred


def description_of(data: Path) -> tuple[str, list[str]]:
    """The description of a competition, and why it cannot be read if it is there and cannot."""
    path = data / DESCRIPTION
    try:
        if is_plain_file(path, data):
            with path.open(encoding="utf-8", errors="replace") as file:
                return file.read(LONGEST), []
        reasons = ["it is no file of the data"] if os.path.lexists(path) else []
    except OSError as error:
        reasons = [told(error)]
    return "", [f"{path.name} cannot be read: {reason}" for reason in reasons]


def metric_of(description: str) -> Metric | None:
    """The score that a description speaks of first, in its section on evaluation if it has one."""
    sections = SECTION.findall(description)
    for text in (" ".join(sections), description):
        lowered = text.lower()
        if found := GUESSES.search(lowered):
            return precision_at(int(found.group(1)))
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
