"""The plan of row matchings names all competitions, and those written follow it."""

from __future__ import annotations

import pytest

from mlebench.registry.task import Task
from tests.conftest import CHECKOUT
from tests.helpers import ALL_IDS, BUILT_IN, READY_IDS

LINES = (CHECKOUT / "docs" / "matchings.md").read_text(encoding="utf-8").splitlines()
ROWS = {
    cells[1]: cells[2:]
    for cells in ([cell.strip() for cell in line.split("|")] for line in LINES)
    if len(cells) > 2 and cells[1] in ALL_IDS
}


def test_every_competition_is_in_the_plan() -> None:
    assert sorted(ROWS) == ALL_IDS


@pytest.mark.parametrize("competition_id", READY_IDS)
def test_written_competitions_follow_the_plan(competition_id: str) -> None:
    folder = BUILT_IN.folder_of(competition_id)
    for edition, planned in zip(("v1", "v2"), ROWS[competition_id], strict=False):
        matching = Task(folder, edition).submission.matching
        assert type(matching).__name__ == planned.split()[0]
