"""Rows to learn from that no table lists: files whose folder or name tells their class."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

import pandas as pd

from .description import description_of
from .features.locating import DEEPEST, TEST, locate
from .features.troves import Entry, entries
from .features.unread import Unread

NEGATIVE = re.compile(
    r"(?:^|[^a-z])(?:0|no|non|not|none|neg\w*|normal|clean|cover|original|real|healthy|control|"
    r"background|false|absent|without)(?:$|[^a-z])",
    re.IGNORECASE,
)
POSITIVE = r"(?:probab|likel|chance|\b1\b)[^.\n]{0,60}?\b"
FIRST_WORD = re.compile(r"([A-Za-z][A-Za-z-]*)[._\-\s]?\d")
LAST_WORD = re.compile(r"[._\-]([A-Za-z]+|\d{1,2})$")
PATH = "path of the file"
FEWEST_FILES, LEAST_SHARE = 4, 0.02
MOST_WORDS = 30
Word = Callable[[Entry], str | None]


def labelled_by_tree(
    data: Path, sample: pd.DataFrame, key: str, outputs: Sequence[str]
) -> pd.DataFrame | None:
    """Files with their classes as a table; None if neither folders nor names tell any.

    Args:
        data: The public data.
        sample: The sample submission, whose rows are files.
        key: Its column that names them.
        outputs: Its columns to be filled.
    """
    found = entries(data, Unread())  # what cannot be read is told by who reads all files
    asked = [str(name) for name in sample[key]]
    kinds = locate(found, [asked[:1]], [asked])
    rest, own = _others(found, [entry for kind in kinds[:1] for row in kind.test for entry in row])
    if len(rest) < FEWEST_FILES:
        return None
    is_number = len(outputs) == 1 and sample[outputs[0]].dtype.kind in "biuf"
    for word in (_folder, _first_word, _last_word):
        told = [(entry, label) for entry in rest if (label := word(entry)) is not None]
        classes = Counter(label for _, label in told)
        if not _are_classes(classes, len(rest), word, own):
            continue
        if len(outputs) > 1 and len(set(classes) & set(outputs)) < 2:
            continue
        labels: list[object] = [label for _, label in told]
        if is_number:
            positive = _positive(sorted(classes), data)
            labels = [int(label in positive) for _, label in told]
        names = ["/".join(entry.path.split("/")[-DEEPEST:]) for entry, _ in told]
        target = outputs[0] if len(outputs) == 1 else "class"
        # Not under the name of the key: names of these files are no clue to names of others.
        return pd.DataFrame({PATH: names, target: labels})
    return None


def _others(found: list[Entry], asked: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Files like those of the rows to predict, and those themselves."""
    suffixes = Counter(PurePosixPath(entry.path).suffix.lower() for entry in asked)
    if not suffixes:
        return [], []
    suffix = suffixes.most_common(1)[0][0]
    taken = set(asked)
    rest = [
        entry
        for entry in found
        if PurePosixPath(entry.path).suffix.lower() == suffix
        and entry not in taken
        and not TEST.search(str(PurePosixPath(entry.path).parent))
    ]
    return rest, asked


def _folder(entry: Entry) -> str | None:
    parts = entry.path.split("/")
    return parts[-2] if len(parts) > 1 else None


def _first_word(entry: Entry) -> str | None:
    match = FIRST_WORD.match(PurePosixPath(entry.path).stem)
    return match.group(1) if match else None


def _last_word(entry: Entry) -> str | None:
    match = LAST_WORD.search(PurePosixPath(entry.path).stem)
    return match.group(1) if match else None


def _are_classes(classes: Counter[str], files: int, word: Word, asked: list[Entry]) -> bool:
    """Whether words divide the files, and those of the rows to predict do not have them."""
    if len(classes) < 2 or sum(classes.values()) < 0.9 * files:
        return False
    if word is not _folder:
        if len(classes) > MOST_WORDS or min(classes.values()) < LEAST_SHARE * files:
            return False
    elif len(classes) > files / 2:
        return False
    return sum(word(entry) in classes for entry in asked) < 0.5 * len(asked)


def _positive(classes: list[str], data: Path) -> set[str]:
    """The classes that are meant by 1: those that the description says so of, else all but one."""
    if len(classes) == 2 and all(name.isdigit() for name in classes):
        return {max(classes, key=int)}
    if negative := {name for name in classes if NEGATIVE.search(name)}:
        return set(classes) - negative or {classes[-1]}
    told, _ = description_of(data)
    places = {
        name: match.end()
        for name in classes
        if (match := re.search(POSITIVE + re.escape(name), told, re.IGNORECASE))
    }
    if places:
        return {min(places, key=lambda name: places[name])}
    return set(classes[1:])
