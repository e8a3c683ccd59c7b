"""Facts parsed beforehand are those that the files hold, and never outlive a change."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mlebench.registry import parsed
from mlebench.registry.catalog import BUILT_IN_DIR
from mlebench.registry.facts import FACTS_FILE, load_facts
from tests.helpers import add_competition
from tests.registry.generate import built_in_texts


def test_all_built_in_facts_are_there() -> None:
    """Otherwise: ``make facts``."""
    texts = built_in_texts()
    assert len(texts) == 88
    for text in texts:
        assert repr(parsed.parsed_before(text)) == repr(yaml.safe_load(text))  # NaN included


def test_listing_competitions_parses_no_yaml() -> None:
    script = (
        "import sys\n"
        "from mlebench.registry.catalog import Catalog\n"
        "catalog = Catalog(())\n"
        "assert len([catalog.get_facts(name) for name in catalog.list_competition_ids()]) == 82\n"
        "assert 'yaml' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_an_edited_text_is_parsed_anew(tmp_path: Path) -> None:
    path = add_competition(tmp_path, "mine") / FACTS_FILE
    text = path.read_text()
    path.write_text(text.replace("title:", "title: Another"))
    assert load_facts(path.parent).title.startswith("Another")
    assert parsed.parsed_before(path.read_text()) is None


@pytest.mark.parametrize("content", [None, b"", b"[1, 2]", b'{"half": ', b"\xff\xfe"])
def test_without_the_file_all_is_as_ever(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "parsed.json"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(parsed, "PARSED_FILE", path)
    monkeypatch.setattr(parsed, "_parsed", parsed._parsed.__wrapped__)
    text = built_in_texts()[0]
    assert parsed.parsed_before(text) is None
    assert load_facts(BUILT_IN_DIR / yaml.safe_load(text)["id"]).id == yaml.safe_load(text)["id"]
