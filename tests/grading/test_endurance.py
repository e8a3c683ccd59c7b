"""A batch killed at random moments and started again; the long form is a program of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.grading.endurance import endure


@pytest.mark.slow
def test_a_batch_killed_again_and_again_ends_as_if_undisturbed(tmp_path: Path) -> None:
    assert endure(tmp_path, lines=80, kills=2, seed=1)["kills"] > 0
