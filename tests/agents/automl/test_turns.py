"""Models of the sort that does best have most of the turns, and none is forgotten."""

from __future__ import annotations

from collections.abc import Iterator

from mlebench.agents.automl.automl.planning.step import Step
from mlebench.agents.automl.automl.planning.turns import Sort, in_turns


def _steps(name: str, count: int) -> Iterator[Step]:
    return (Step(f"{name}{place}", lambda: None) for place in range(count))


def test_until_something_is_known_all_have_as_many_turns() -> None:
    sorts = [Sort(_steps("a", 2)), Sort(_steps("b", 2))]
    assert [step.name for step in in_turns(sorts, {})] == ["a0", "b0", "a1", "b1"]


def test_the_best_sort_has_several_turns_in_a_row() -> None:
    gains: dict[str, float] = {}
    tried = []
    for step in in_turns([Sort(_steps("a", 5)), Sort(_steps("b", 5))], gains):
        tried.append(step.name)
        gains[step.name] = -1.0 if step.name.startswith("a") else -0.5
    assert tried == ["a0", "b0", "a1", "b1", "b2", "b3", "a2", "b4", "a3", "a4"]


def test_what_is_not_ready_waits_but_not_for_ever() -> None:
    tried: list[str] = []
    late = Sort(_steps("late", 2), lambda: len(tried) > 2)
    never = Sort(_steps("never", 1), lambda: False)
    for step in in_turns([late, never, Sort(_steps("a", 4))], {}):
        tried.append(step.name)
    assert tried == ["a0", "a1", "a2", "late0", "a3", "late1", "never0"]


def test_what_only_prepares_others_takes_nobodys_turn() -> None:
    first = iter([Step("look", lambda: None, is_model=False), *_steps("a", 1)])
    tried = [step.name for step in in_turns([Sort(first), Sort(_steps("b", 2))], {})]
    assert tried == ["look", "a0", "b0", "b1"]
