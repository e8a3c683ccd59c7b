"""Agent folders for tests."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent


def own_agent(parent: Path, name: str, facts: str = "") -> Path:
    """A folder with an ``agent.yaml`` of this text."""
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "agent.yaml").write_text(dedent(facts), encoding="utf-8")
    (folder / "start.sh").write_text("echo started\n", encoding="utf-8")
    return folder


def original_agent(parent: Path, name: str, config: str) -> Path:
    """A folder in the original's format."""
    folder = parent / name
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text(dedent(config), encoding="utf-8")
    (folder / "start.sh").write_text("echo started\n", encoding="utf-8")
    (folder / "Dockerfile").write_text("FROM mlebench-env\n", encoding="utf-8")
    return folder
