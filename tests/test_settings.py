"""Paths as users write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.errors import ConfigError
from mlebench.registry import Registry
from mlebench.settings import (
    AGENTS_DIR_VARIABLE,
    COMPETITIONS_DIR_VARIABLE,
    default_data_dir,
    expanded,
    resolved,
    user_agents_dirs,
    user_competitions_dirs,
)


def test_home_folders_are_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert expanded("~/data") == tmp_path / "data"
    assert expanded(Path("here/~")) == Path("here/~")


@pytest.mark.parametrize("path", ["~no-such-user", "~no-such-user/data"])
def test_a_home_that_nobody_has_is_told(path: str) -> None:
    with pytest.raises(ConfigError, match=f"~no-such-user stands for: write {path} in full"):
        resolved(path)


@pytest.mark.parametrize(
    ("variable", "look"),
    [
        ("MLEBENCH_DATA_DIR", default_data_dir),
        (COMPETITIONS_DIR_VARIABLE, user_competitions_dirs),
        (AGENTS_DIR_VARIABLE, user_agents_dirs),
        (COMPETITIONS_DIR_VARIABLE, Registry().list_competition_ids),
    ],
)
def test_also_in_the_environment(variable: str, look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "~no-such-user")
    with pytest.raises(ConfigError, match="home folder"):
        look()


def test_links_are_followed_unless_they_lead_in_circles(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to("data")
    (tmp_path / "circle").symlink_to("circle")
    assert resolved(tmp_path / "link") == (tmp_path / "data").resolve()
    assert resolved(tmp_path / "circle" / "x").name == "x"
    assert Registry(tmp_path / "circle").get_data_dir().name == "circle"
