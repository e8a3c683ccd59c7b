"""Runs that are killed again and again end as if undisturbed; `endurance` tries more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.runs.conftest import needs_bwrap
from tests.runs.endurance import endure


@needs_bwrap
@pytest.mark.slow
def test_killed_again_and_again_every_run_has_one_result(tmp_path: Path) -> None:
    outcome = endure(tmp_path, runs=20, kills=3, seed=1, sandbox="bwrap")
    assert outcome["runs"] == 20
