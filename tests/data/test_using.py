"""Folders that are read from and those that are to be removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.data.using import in_use, used_by_nobody
from mlebench.errors import BusyError


def test_a_folder_is_removed_by_nobody_as_long_as_somebody_uses_it(tmp_path: Path) -> None:
    with (
        in_use(tmp_path),
        in_use(tmp_path),
        pytest.raises(BusyError, match="used by runs"),
        used_by_nobody(tmp_path),
    ):
        pass
    with (
        used_by_nobody(tmp_path),
        pytest.raises(BusyError, match="being removed"),
        in_use(tmp_path),
    ):
        pass
    assert [*tmp_path.iterdir()] == []
