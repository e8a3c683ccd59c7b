"""What tests of the command line share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _one_worker(_own_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Grade with one process: starting more takes longer than all that is graded here."""
    monkeypatch.setenv("MLEBENCH_WORKERS", "1")
