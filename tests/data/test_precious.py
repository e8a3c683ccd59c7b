"""What is the user's outlives a preparation: raw data, wherever they lie, and files among ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.data import pipeline
from mlebench.data.outlook import look_ahead
from mlebench.data.prepare import prepare
from mlebench.errors import ConfigError
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from tests.data.conftest import zipped
from tests.data.test_removed_meanwhile import interrupt
from tests.helpers import file_digests


def registry_of(competition: Competition) -> Registry:
    return Registry(competition.data_dir.parent, [competition.folder.parent])


@pytest.mark.parametrize("place", [".staging-v1/raw", "prepared/public", "prepared", "link"])
def test_raw_data_in_a_folder_that_will_be_emptied_are_refused(
    place: str, mine: Competition, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zipped(raw, mine.data_dir / "mine.zip")
    prepare(mine)
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "publish", interrupt)
        with pytest.raises(KeyboardInterrupt):
            prepare(mine, force=True)
    (mine.data_dir / "link").symlink_to(mine.public_dir)
    before = file_digests(mine.data_dir)
    named = mine.data_dir / place
    assert isinstance(
        look_ahead({"mine": str(named)}, registry_of(mine), force=True)[0].problem, ConfigError
    )
    with pytest.raises(ConfigError, match="Copy it to another place first"):
        prepare(mine, named, force=True)
    assert file_digests(mine.data_dir) == before
