"""Descriptions in the words of an edition."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.registry.descriptions import of_edition, read_description
from tests.helpers import ALL_IDS, BUILT_IN, MINI_IDS

TEXT = """# Title
<!-- v1 -->
In order.
<!-- v2 -->
In any order,
as you like.
<!-- end -->
Both.
<!-- v2 -->
Only here.
<!-- end -->
<!-- v1 -->
Only there.
<!-- end -->
<!-- something else -->
"""


@pytest.mark.parametrize(
    ("edition", "expected"),
    [
        ("v1", "# Title\nIn order.\nBoth.\nOnly there.\n<!-- something else -->\n"),
        (
            "v2",
            "# Title\nIn any order,\nas you like.\nBoth.\nOnly here.\n<!-- something else -->\n",
        ),
    ],
)
def test_an_edition_reads_its_own_passages(edition: str, expected: str) -> None:
    assert of_edition(TEXT, edition) == expected


def test_a_text_of_an_edition_replaces_the_other(tmp_path: Path) -> None:
    assert read_description(tmp_path, "v1") == ""
    (tmp_path / "description.md").write_text("one")
    (tmp_path / "description_v2.md").write_text("two")
    assert [read_description(tmp_path, edition) for edition in ("v1", "v2")] == ["one", "two"]


@pytest.mark.parametrize("competition_id", [*ALL_IDS, *MINI_IDS])
@pytest.mark.parametrize("edition", ["v1", "v2"])
def test_no_mark_is_left(competition_id: str, edition: str) -> None:
    text = BUILT_IN.set_edition(edition).get_competition(competition_id).description
    assert "<!--" not in text
    assert "\n\n\n" not in text
