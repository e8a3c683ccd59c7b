"""The page for authors: what it shows of the original's format works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.grading.single import grade_csv
from mlebench.registry import Registry
from tests.conftest import CHECKOUT

PAGE = (CHECKOUT / "docs" / "competitions.md").read_text(encoding="utf-8")
FILES = re.findall(r"```\w+\n# (\w+\.\w+)\n(.*?)```", PAGE, re.DOTALL)


def test_the_shown_folder_in_the_originals_format_loads_unchanged(tmp_path: Path) -> None:
    folder = tmp_path / "competitions" / "house-prices"
    folder.mkdir(parents=True)
    assert [name for name, _ in FILES] == ["config.yaml", "prepare.py", "grade.py"]
    for name, text in FILES:
        (folder / name).write_text(text)
    (folder / "description.md").write_text("# House prices\n")
    (folder / "leaderboard.csv").write_text("score\n1\n5\n9\n")
    raw = tmp_path / "raw"
    raw.mkdir()
    (raw / "houses.csv").write_text("id,rooms,price\n1,2,10\n2,3,20\n3,3,25\n4,5,40\n")
    competition = Registry(tmp_path / "data", [folder.parent]).get_competition("house-prices")
    prepare(competition, raw)
    report = grade_csv(competition.sample_submission, competition)
    assert (report.score, report.is_lower_better, report.edition) == (30.0, True, "v1")
    assert grade_csv(competition.gold_submission, competition).gold_medal
