"""The right order of the parts that each thing has, told by their texts.

Parts of some kinds are often given in order already; the others are put where parts with such
words usually are, and beside the part in order that they share most words with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .looking import Answer, Look, files_by_stem

MOST_LEARNED, SHARE_HELD_OUT, FEWEST = 3000, 0.3, 8
MOST_KINDS, IN_ORDER = 5, 0.99
LONGEST_TEXT = 300
WORDS = 2**14
STRENGTH = 3.0
SEED = 0


@dataclass(frozen=True)
class _Thing:
    """What a file says of the parts of a thing.

    Attributes:
        parts: Their names, as they are given.
        kinds: What kind each is of.
        texts: What each says.
    """

    parts: Sequence[str]
    kinds: Sequence[str]
    texts: Sequence[str]


Sort = Callable[[_Thing], list[str]]


def answers(look: Look) -> Iterator[Answer]:
    """Parts that are given in order stay so; the others go where their texts belong."""
    if len(look.outputs) != 1:
        return
    output = look.outputs[0]
    given = look.sample[output].str.split()
    if given.map(len).max() < 2 or given.map(lambda one: len(set(one)) < len(one)).any():
        return
    told = next((t for _, t in look.tables.items() if {look.key, output} <= {*t.columns}), None)
    if told is None:
        return
    orders = {str(name): str(order).split() for name, order in told[[look.key, output]].to_numpy()}
    names = [str(name) for name in np.random.default_rng(SEED).permutation(sorted(orders))]
    paths = files_by_stem(look.data, (".json",), "train")
    things = _read(paths, names[:MOST_LEARNED])
    things = {name: one for name, one in things.items() if {*one.parts} == {*orders[name]}}
    asked = _read(files_by_stem(look.data, (".json",), "test"), look.sample[look.key])
    if len(things) < FEWEST or len(asked) < len(look.sample):
        return
    cut = max(1, int(SHARE_HELD_OUT * len(things)))
    known = list(things)
    judged = known[:cut]
    score = _alike(_sorter(things, orders, known[cut:]), things, orders, judged)
    usual = _alike(lambda thing: list(thing.parts), things, orders, judged)
    sort = _sorter(things, orders, known)
    filled = [" ".join(sort(asked[str(name)])) for name in look.sample[look.key]]
    yield Answer("parts where their texts belong", score, usual, look.filled(**{output: filled}))


def _read(paths: dict[str, Path], names: Iterable[object]) -> dict[str, _Thing]:
    found = {}
    for name in map(str, names):
        if name in paths and (thing := _thing(paths[name])) is not None:
            found[name] = thing
    return found


def _thing(path: Path) -> _Thing | None:
    """A file whose members each say something of the same parts; None for others."""
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        return None
    values = told.values() if isinstance(told, dict) else ()
    members = [one for one in values if isinstance(one, dict)]
    if not members or any(one.keys() != members[0].keys() for one in members):
        return None
    columns = sorted(
        ([str(text) for text in one.values()] for one in members),
        key=lambda texts: sum(map(len, texts)),
    )
    kinds = columns[0] if len(columns) > 1 else [""] * len(columns[0])
    return _Thing(list(members[0]), kinds, [text[:LONGEST_TEXT] for text in columns[-1]])


def _sorter(things: dict[str, _Thing], orders: dict[str, list[str]], names: Sequence[str]) -> Sort:
    """A function that sorts the parts of a thing, made from some whose order is known."""
    from scipy.sparse import vstack
    from sklearn.linear_model import Ridge

    fixed = _kinds_in_order(things, orders, names)
    inputs, places = [], []
    for name in names:
        thing, order = things[name], {part: at for at, part in enumerate(orders[name])}
        loose = [at for at, kind in enumerate(thing.kinds) if kind not in fixed]
        if loose:
            inputs.append(_inputs(thing, fixed, loose))
            places += [(order[thing.parts[at]] + 0.5) / len(order) for at in loose]
    if not inputs:
        return lambda thing: list(thing.parts)
    model = Ridge(alpha=STRENGTH).fit(vstack(inputs), places)

    def sort(thing: _Thing) -> list[str]:
        loose = [at for at, kind in enumerate(thing.kinds) if kind not in fixed]
        still = [at for at, kind in enumerate(thing.kinds) if kind in fixed]
        said = dict(zip(still, (np.arange(len(still)) + 0.5) / max(len(still), 1), strict=True))
        if loose:
            said |= dict(zip(loose, model.predict(_inputs(thing, fixed, loose)), strict=True))
        return [thing.parts[at] for at in sorted(said, key=lambda at: said[at])]

    return sort


def _kinds_in_order(
    things: dict[str, _Thing], orders: dict[str, list[str]], names: Sequence[str]
) -> frozenset[str]:
    """The kinds whose parts are given in the right order among themselves."""
    right: dict[str, list[bool]] = {}
    for name in names:
        place = {part: at for at, part in enumerate(orders[name])}
        last: dict[str, int] = {}
        for part, kind in zip(things[name].parts, things[name].kinds, strict=True):
            if kind in last:
                right.setdefault(kind, []).append(place[part] > last[kind])
            last[kind] = place[part]
        if len(right) > MOST_KINDS:  # these are no kinds
            return frozenset()
    return frozenset(kind for kind, hits in right.items() if np.mean(hits) >= IN_ORDER)


def _inputs(thing: _Thing, fixed: frozenset[str], loose: Sequence[int]) -> Any:
    """The words of parts, and where the part in order is that is most like each."""
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import HashingVectorizer

    words = HashingVectorizer(n_features=WORDS, ngram_range=(1, 2)).transform(thing.texts)
    still = [at for at, kind in enumerate(thing.kinds) if kind in fixed]
    beside = np.full((len(loose), 2), 0.5)
    if still:
        alike = (words[loose] @ words[still].T).toarray()
        beside[:, 0] = (alike.argmax(axis=1) + 0.5) / len(still)
        beside[:, 1] = np.where(alike.max(axis=1) > 0, beside[:, 0], 0.5) * alike.max(axis=1)
    return hstack([words[loose], csr_matrix(beside)]).tocsr()


def _alike(
    sort: Sort, things: dict[str, _Thing], orders: dict[str, list[str]], names: Sequence[str]
) -> float:
    """How many pairs are in the right order, from -1 for none to 1 for all."""
    wrong = pairs = 0
    for name in names:
        at = {part: place for place, part in enumerate(orders[name])}
        places = np.array([at[part] for part in sort(things[name])])
        wrong += int(sum((places[:-1][k] > places[k + 1 :]).sum() for k in range(len(places) - 1)))
        pairs += len(places) * (len(places) - 1) // 2
    return 1 - 2 * wrong / max(pairs, 1)
