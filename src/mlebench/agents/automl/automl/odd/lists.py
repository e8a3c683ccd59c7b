"""Lists of what somebody will choose next: what they chose before, then what most choose."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from ..features.columns import as_times
from .looking import Answer, Look

SHARE_HELD_OUT = 0.1
RECENT = 7.0  # days in which most choose much the same
MOST_JUDGED = 20_000
FEWEST, MOST = 2, 30


def answers(look: Look) -> Iterator[Answer]:
    """Own recent choices, then what was chosen most in the last days."""
    if len(look.outputs) != 1:
        return
    events = _events(look)
    if events is None:
        return
    output, events = look.outputs[0], events.sort_values("when", kind="stable")
    listed = look.sample[output].map(str.split)
    longest = int(listed.map(len).max())
    told = re.search(r"@\s*\(?(\d+)|up to (\d+)|most (\d+)", look.description)
    most = int(next(part for part in told.groups() if part)) if told else longest
    most = most if FEWEST <= most <= MOST else max(longest, FEWEST)
    cut = events["when"].quantile(1 - SHARE_HELD_OUT)
    before, after = events[events["when"] <= cut], events[events["when"] > cut]
    if not len(before) or not len(after):
        return
    chosen = {str(who): set(things) for who, things in after.groupby("who")["what"]}
    judged = list(chosen)[:MOST_JUDGED]
    usual = listed.iloc[0]
    plain = sum(_precision(chosen[who], usual, most) for who in judged) / len(judged)
    told_now = zip(judged, _lists(before, judged, most), strict=True)
    score = sum(_precision(chosen[who], one, most) for who, one in told_now) / len(judged)
    everyone = look.sample[look.key].tolist()
    table = look.filled(**{output: [" ".join(one) for one in _lists(events, everyone, most)]})
    yield Answer("own recent choices, then common ones", score, plain, table)


def _events(look: Look) -> pd.DataFrame | None:
    """Who chose what and when, as some table tells it."""
    asked = look.sample[look.outputs[0]].head(1000).str.split().explode().dropna().unique()
    if not len(asked):
        return None
    for _, table in look.tables.items():
        if look.key not in table.columns or table[look.key].is_unique:
            continue
        times = [name for name in table.columns if as_times(table[name].head(1000)) is not None]
        for name in table.columns:
            if name in (look.key, *times) or table[name].dtype.kind not in "iuO" or not times:
                continue
            width = len(asked[0]) if len({len(one) for one in asked}) == 1 else 0
            things = table[name].astype(str).str.zfill(width)
            if pd.Series(asked).isin(things.unique()).mean() > 0.9:
                when = as_times(table[times[0]])
                who = table[look.key].astype(str)
                events = pd.DataFrame({"who": who, "what": things, "when": when})
                return events.dropna()
    return None


def _lists(events: pd.DataFrame, who: list[str], most: int) -> list[list[str]]:
    """For everybody: their own choices, latest first, then what most chose lately."""
    latest = events["when"].max()
    recent = events[events["when"] > latest - RECENT]
    common = list(recent["what"].value_counts().index[:most])
    common += [
        thing for thing in events["what"].value_counts().index[: 2 * most] if thing not in common
    ]
    asked = events[events["who"].isin(set(who))]
    own = asked.iloc[::-1].drop_duplicates(["who", "what"]).groupby("who", sort=False)["what"]
    chosen = {name: list(things.head(most)) for name, things in own}
    return [list(dict.fromkeys([*chosen.get(name, []), *common]))[:most] for name in who]


def _precision(chosen: set[str], told: list[str], most: int) -> float:
    """The mean precision at each right guess."""
    hits, total = 0, 0.0
    for place, thing in enumerate(told[:most], 1):
        if thing in chosen:
            hits += 1
            total += hits / place
    return total / min(len(chosen), most)
