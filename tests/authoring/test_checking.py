"""Several competitions tried side by side: what one of them does costs no other its result."""

from __future__ import annotations

from pathlib import Path

from mlebench.authoring.checking import check_competitions
from mlebench.registry import Registry
from tests.helpers import add_competition


def test_a_competition_that_ends_its_process_costs_its_own_result(tmp_path: Path) -> None:
    add_competition(tmp_path, "good")
    add_competition(tmp_path, "bad", fixture="import os\n\ndef fixture(raw):\n    os._exit(3)")
    registry = Registry(competitions_dirs=[tmp_path])
    ids = ["bad", "good", "spaceship-titanic", "no-such-thing"]
    outcomes = {
        outcome.competition_id: outcome for outcome in check_competitions(ids, registry, workers=2)
    }
    assert set(outcomes) == set(ids)
    assert {name for name, outcome in outcomes.items() if outcome.passed} == {
        "good",
        "spaceship-titanic",
    }
    (lost,) = outcomes["bad"].checks
    assert "exit code 3" in lost.detail
    assert outcomes["good"].gold_score == 0
    assert outcomes["spaceship-titanic"].sample_score == 0.5625
