"""Several competitions tried side by side: what one of them does costs no other its result."""

from __future__ import annotations

from pathlib import Path

from mlebench.authoring.checking import check_competitions, check_safely
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


def test_a_wrong_field_is_told_with_a_short_path(tmp_path: Path) -> None:
    (add_competition(tmp_path, "mine") / "competition.yaml").write_text("id: mine\n")
    (check,) = check_safely("mine", Registry(competitions_dirs=[tmp_path])).checks
    assert check.detail.startswith("mine/competition.yaml: the required field")
