"""A small share of ``make fuzz``, and whether the fuzzer would notice."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.conftest import Prepared
from tests.fuzz import judges, run
from tests.fuzz.bench import Bench
from tests.fuzz.judges import JUDGES
from tests.fuzz.run import Failure, run_case, run_cases

CASES = 30
SEED = 2024


@pytest.mark.parametrize("competition_id", JUDGES)
def test_broken_submissions_get_the_verdict_they_deserve(
    competition_id: str, prepared: Prepared, tmp_path: Path
) -> None:
    tally = run_cases(Bench(prepared(competition_id)), SEED, range(CASES), tmp_path)
    assert not tally.failures
    assert tally.cases == CASES
    assert min(tally.kinds["invalid"], tally.kinds["scored"]) > CASES / 20


@pytest.fixture
def bench(prepared: Prepared) -> Bench:
    return Bench(prepared("spaceship-titanic"))


def test_a_case_is_made_of_its_number_alone(bench: Bench) -> None:
    again = Bench(bench.competition)
    assert bench.make(1, 7) == again.make(1, 7)
    assert len({bench.make(1, number).content for number in range(50)}) > 40


@pytest.mark.parametrize("score", [0.12345, float("nan")])
def test_a_wrong_score_is_noticed(
    score: float, bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(judges.JUDGES, "spaceship-titanic", lambda *_: score)
    assert run_cases(bench, 0, range(20), tmp_path).failures


def test_a_traceback_is_noticed(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(vars(bench.task), "read_submitted", fail)
    outcome = run_case(bench, 0, 0, tmp_path / "case.csv")
    assert isinstance(outcome, Failure)
    assert "ZeroDivisionError" in outcome.message
    assert outcome.command.endswith("--competition spaceship-titanic --seed 0 --case 0")


def test_a_hang_is_noticed(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "CASE_LIMIT", 0.05)
    monkeypatch.setitem(vars(bench.task), "read_submitted", lambda _: time.sleep(5))
    outcome = run_case(bench, 0, 0, tmp_path / "case.csv")
    assert isinstance(outcome, Failure)
    assert "seconds" in outcome.message
