"""How the original brings submitted rows and answers together, in plain pandas.

One function for each matching, in the words of the fact sheets. Both tables have a column
``id`` and a column ``row`` with their row numbers. The result are the pairs of answer row
and submitted row; `RefusedError` stands for a submission that is invalid or that makes the
original fail.
"""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from mlebench.submission import (
    AsFarAsBothGo,
    AtLeastAsked,
    AtMostAsked,
    AtMostOnce,
    ExactKey,
    Join,
    Matching,
    Pooled,
    Position,
    PositionAndKey,
    PositionInGroup,
    SortedKeys,
    SortedKeySet,
    SortedKnownKeys,
    SortedOnly,
)

Pairs = list[tuple[int, int]]
Oracle = Callable[[pd.DataFrame, pd.DataFrame], Pairs]


class RefusedError(Exception):
    """There is no score."""


def require(condition: object) -> None:
    if not condition:
        raise RefusedError


def beside(answers: pd.DataFrame, submitted: pd.DataFrame) -> Pairs:
    """Row by row, as far as both go."""
    return list(zip(answers["row"].tolist(), submitted["row"].tolist(), strict=False))


def same_sequence(answers: pd.DataFrame, submitted: pd.DataFrame) -> bool:
    return (answers["id"].to_numpy() == submitted["id"].to_numpy()).all()


def as_set(table: pd.DataFrame) -> set[object]:
    """The distinct ids; an empty one is an id as well."""
    return {"(empty)" if pd.isna(key) else key for key in table["id"].tolist()}


def exact(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    require(len(submitted) == len(answers))
    submitted, answers = (side.sort_values("id", kind="stable") for side in (submitted, answers))
    require(same_sequence(answers, submitted))
    return beside(answers, submitted)


def position(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    require(len(submitted) == len(answers))
    return beside(answers, submitted)


def position_and_key(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Vesuvius: as many rows, first with first, and the ids equal."""
    require(len(submitted) == len(answers))
    require(same_sequence(answers, submitted))
    return beside(answers, submitted)


def as_far_as_both_go(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """UW-Madison: nothing is compared, but an empty id cannot be split."""
    require(submitted["id"].notna().all())
    return beside(answers, submitted)


def position_in_group(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Smartphones: as many rows, as many of each trip, and row by row within a trip."""
    require(len(submitted) == len(answers))
    pairs = []
    for trip in answers["id"].unique():
        mine, theirs = submitted[submitted["id"] == trip], answers[answers["id"] == trip]
        require(len(mine) == len(theirs))
        pairs += beside(theirs, mine)
    return pairs


def sorted_keys(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """iWildCam and insults: sorted by default, then equal one by one."""
    require(len(submitted) == len(answers))
    submitted, answers = submitted.sort_values("id"), answers.sort_values("id")
    require(same_sequence(answers, submitted))
    return beside(answers, submitted)


def sorted_key_set(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Brain activity: the same set of ids, then sorted by default."""
    require(len(submitted) == len(answers))
    require(as_set(submitted) == as_set(answers))
    return beside(answers.sort_values("id"), submitted.sort_values("id"))


def sorted_known_keys(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Toxic comments: both indexed by id and sorted; an unknown id cannot be looked up."""
    require(len(submitted) == len(answers))
    require(as_set(submitted) <= as_set(answers))
    indexed = (side.set_index("id").sort_index() for side in (answers, submitted))
    return beside(*indexed)


def sorted_only(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Taxi fares and Q&A: sorted by default, never compared."""
    require(len(submitted) == len(answers))
    return beside(answers.sort_values("id"), submitted.sort_values("id"))


def at_least_asked(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """H&M: a superset of the customers, the others filtered out, both sorted."""
    require(as_set(submitted) >= as_set(answers))
    known = submitted[submitted["id"].isin(answers["id"])]
    return beside(answers.sort_values("id"), known.sort_values("id"))


def at_most_asked(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Lung function: known ids only, at least one row, each row with its answer."""
    require(len(submitted))
    require(as_set(submitted) <= as_set(answers))
    return joined(submitted, answers)


def at_most_once(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Lung function, to be on the safe side: as above, and no id twice."""
    require(not submitted["id"].duplicated().any())
    return at_most_asked(submitted, answers)


def join(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """Molecules and volcanoes: the same set of ids, then an inner join."""
    require(as_set(submitted) == as_set(answers))
    return joined(submitted, answers)


def joined(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    both = answers.merge(submitted, on="id", suffixes=("_answer", "_submitted"))
    return list(zip(both["row_answer"].tolist(), both["row_submitted"].tolist(), strict=True))


def pooled(submitted: pd.DataFrame, answers: pd.DataFrame) -> Pairs:
    """X-rays: the same set of ids, in as many rows as one likes; scoring groups them."""
    require(as_set(submitted) == as_set(answers))
    return []


ORACLES: dict[type[Matching], Oracle] = {
    ExactKey: exact,
    Position: position,
    PositionAndKey: position_and_key,
    PositionInGroup: position_in_group,
    AsFarAsBothGo: as_far_as_both_go,
    SortedKeys: sorted_keys,
    SortedKeySet: sorted_key_set,
    SortedKnownKeys: sorted_known_keys,
    SortedOnly: sorted_only,
    AtLeastAsked: at_least_asked,
    AtMostAsked: at_most_asked,
    AtMostOnce: at_most_once,
    Join: join,
    Pooled: pooled,
}

# Whose answers may hold a key more than once.
WITH_REPEATED_ANSWERS = (
    ExactKey,
    Position,
    PositionAndKey,
    PositionInGroup,
    AsFarAsBothGo,
    SortedKeys,
    SortedKeySet,
    SortedOnly,
    Pooled,
)
