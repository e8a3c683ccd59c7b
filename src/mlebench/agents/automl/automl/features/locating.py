"""Which files belong to which rows: by name, by the end of a path, or by a folder of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from .troves import Entry

TRAIN = re.compile(r"train", re.IGNORECASE)
TEST = re.compile(r"(?<![a-z])(?:test|evaluation|validation)", re.IGNORECASE)
NAME = re.compile(r"id$|name|file|path|image", re.IGNORECASE)
DIGITS = re.compile(r"\d+")
SHARE_OF_TEST, SHARE_OF_TRAIN, NEARLY_ALL = 0.5, 0.3, 0.95
MOST_KINDS, MOST_LABELS = 12, 16
DEEPEST = 4
MOST_DIFFERENT_NAMES = 40
LONGEST_NAME = 200


@dataclass(frozen=True)
class Kind:
    """Files of one kind.

    Attributes:
        name: What tells them from others: the folder, their common name, their suffix.
        suffix: What their names end in, in small letters.
        train: Those of each row to learn from; none, one or several.
        test: The same of the rows to predict.
    """

    name: str
    suffix: str
    train: list[tuple[Entry, ...]]
    test: list[tuple[Entry, ...]]

    @property
    def count(self) -> int:
        """How many files there are."""
        return sum(map(len, self.train)) + sum(map(len, self.test))


@dataclass(frozen=True, slots=True)
class _Found:
    entry: Entry
    key: str
    folder: str
    label: str
    suffix: str
    is_train: bool
    is_test: bool


def locate(
    found: Sequence[Entry], train: Sequence[Sequence[str]], test: Sequence[Sequence[str]]
) -> list[Kind]:
    """Files by kind and row, those that most rows have first.

    Args:
        found: All files.
        train: Columns of names that rows to learn from go by, the likeliest first.
        test: The same columns of the rows to predict.
    """
    kinds: list[Kind] = []
    left = list(found)
    for known, asked in zip(train, test, strict=True):
        matched = list(
            _matches(left, {_plain(name) for name in known} | {_plain(n) for n in asked})
        )
        new = _kinds(matched, [_plain(name) for name in known], [_plain(name) for name in asked])
        if new:
            kinds.extend(new)
            taken = {match.entry for match in matched}
            left = [entry for entry in left if entry not in taken]
    return kinds[:MOST_KINDS]


def names_of_files(
    train_ids: Sequence[str], test_ids: Sequence[str], train: pd.DataFrame, test: pd.DataFrame
) -> tuple[list[list[str]], list[list[str]]]:
    """Columns of names that rows may go by: what they are called, then other codes of theirs."""
    known, asked = [list(map(str, train_ids))], [list(map(str, test_ids))]
    for name in train.columns:
        one, other = train[name], test[name]
        if one.dtype.kind not in "OiuUT" or other.dtype.kind not in "OiuUT":
            continue
        texts, others = [str(value) for value in one], [str(value) for value in other]
        # Small numbers are names of files by chance, unless the column says that they are names.
        is_name = one.dtype.kind not in "iu" or NAME.search(str(name))
        is_various = len(set(others)) > min(MOST_DIFFERENT_NAMES, 0.5 * len(others))
        is_short = max(map(len, texts[:1000]), default=0) < LONGEST_NAME
        if texts != known[0] and (is_name or is_various) and is_short and len(set(texts)) > 1:
            known.append(texts)
            asked.append(others)
    return known, asked


def _plain(name: str) -> str:
    """A name without what only says where it was written."""
    return name.strip().lstrip("./").replace("\\", "/")


def _matches(found: Sequence[Entry], names: set[str]) -> Iterator[_Found]:
    """Files whose name, end of the path or folder is the name of a row."""
    for entry in found:
        parts = entry.path.split("/")
        told = _key(parts, names)
        if told is None:
            continue
        key, level = told
        stem, suffix = _split(parts[-1])
        if level < len(parts) - 1:
            label = "/".join((*parts[level + 1 : -1], stem))
        else:
            label = stem.replace(key, "*") if stem != _split(key.split("/")[-1])[0] else ""
        folders = (_neutral(part) for part in parts[:level] if not _is_shard(part, key))
        beside = "/".join(parts[:level])
        yield _Found(
            entry, key, "/".join(filter(None, folders)), label, suffix,
            is_train=bool(TRAIN.search(beside)), is_test=bool(TEST.search(beside)),
        )  # fmt: skip


def _key(parts: list[str], names: set[str]) -> tuple[str, int] | None:
    """The name of a row in a path, and how deep it is."""
    last = len(parts) - 1
    for depth in range(DEEPEST):
        whole = "/".join(parts[max(0, last - depth) :])
        stem = whole[: -len(suffix)] if (suffix := _split(whole)[1]) else whole
        for name in (whole, stem, stem.lstrip("0")):
            if name in names:
                return name, last
    for level in range(last - 1, -1, -1):
        for name in (parts[level], parts[level].lstrip("0")):
            if name in names:
                return name, level
    return None


def _split(name: str) -> tuple[str, str]:
    """A name and its suffix; numbers with dots have none."""
    stem, dot, suffix = name.rpartition(".")
    if not dot or "/" in suffix or not 2 <= len(suffix) <= 8 or not re.search("[A-Za-z]", suffix):
        return name, ""
    return stem, f".{suffix}"


def _is_shard(part: str, key: str) -> bool:
    """Whether a folder only keeps others from growing too large."""
    return part.isdigit() or len(part) <= 2 or key.startswith(part)


def _neutral(part: str) -> str:
    """The name of a folder without what says to which rows it belongs."""
    return TEST.sub("", TRAIN.sub("", part)).strip("_- .0123456789")


def _kinds(matched: list[_Found], known: list[str], asked: list[str]) -> list[Kind]:
    """Files in groups of one kind, as far as rows to learn from and to predict have them."""
    groups: dict[tuple[str, str, str], list[_Found]] = {}
    matched = _numbered(matched)
    for match in matched:
        groups.setdefault((match.folder, match.label, match.suffix.lower()), []).append(match)
    kinds = []
    for (folder, label, suffix), group in groups.items():
        test = _by_row(group, asked, is_train=False)
        if _share(test) < SHARE_OF_TEST:
            continue
        train = _by_row(group, known, is_train=True)
        if _share(train) < NEARLY_ALL:
            # Others may be in folders by class, which rows to predict cannot have.
            top = folder.split("/")[0]
            wider = [
                match for match in matched
                if (match.label, match.suffix.lower()) == (label, suffix)
                and (match.is_train or match.folder.split("/")[0] == top)
            ]  # fmt: skip
            train = max(train, _by_row(wider, known, is_train=True), key=_share)
        if _share(train) < SHARE_OF_TRAIN:
            continue
        name = " ".join(part for part in (folder, label, suffix) if part)
        kinds.append(Kind(name, suffix, train, test))
    return sorted(kinds, key=lambda kind: (-_share(kind.test) - _share(kind.train), kind.name))


def _numbered(matched: list[_Found]) -> list[_Found]:
    """The same without numbers in names, where these only count the many files of a row."""
    named: dict[str, set[str]] = {}
    for match in matched:
        named.setdefault(_without_number(match.label), set()).add(match.label)
    many = {
        pattern
        for pattern, labels in named.items()
        if len(labels) > MOST_LABELS or pattern.split("/")[-1] == "#"
    }
    return [
        replace(match, label=pattern)
        if (pattern := _without_number(match.label)) in many
        else match
        for match in matched
    ]


def _without_number(label: str) -> str:
    before, slash, last = label.rpartition("/")
    return before + slash + DIGITS.sub("#", last)


def _by_row(group: list[_Found], names: list[str], *, is_train: bool) -> list[tuple[Entry, ...]]:
    """The files of each row; those of a folder that says so before all others."""
    own: dict[str, list[Entry]] = {}
    strange: dict[str, list[Entry]] = {}
    for match in group:
        is_own = not (match.is_test and not match.is_train) if is_train else not match.is_train
        (own if is_own else strange).setdefault(match.key, []).append(match.entry)
    if not own:
        own = strange
    return [tuple(sorted(own.get(name, ()), key=_natural)) for name in names]


def _natural(entry: Entry) -> tuple[object, ...]:
    """Numbers in names by size."""
    parts = re.split(r"(\d+)", entry.path)
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in parts)


def _share(rows: list[tuple[Entry, ...]]) -> float:
    return sum(map(bool, rows)) / max(len(rows), 1)
