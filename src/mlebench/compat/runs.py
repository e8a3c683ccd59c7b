"""Where things lie in a checkout, and folders for runs."""

from __future__ import annotations

import uuid
from pathlib import Path

from mlebench.grading.summary import get_timestamp
from mlebench.settings import PACKAGE_DIR

__all__ = ["create_run_dir", "generate_run_id", "get_module_dir", "get_repo_dir", "get_runs_dir"]


def get_module_dir() -> Path:
    """The folder of the package."""
    return PACKAGE_DIR


def get_repo_dir() -> Path:
    """The folder the package's folder lies in; the checkout, if it is one."""
    root = PACKAGE_DIR.parent
    return root.parent if root.name == "src" else root


def get_runs_dir() -> Path:
    """Where runs are kept by default: in the checkout, or else in the current folder."""
    root = get_repo_dir()
    return (root if (root / "pyproject.toml").is_file() else Path.cwd()) / "runs"


def generate_run_id(
    competition_id: str | None, agent_id: str | None, run_group: str | None = None
) -> str:
    """A new name for a run; a run group's own name already tells the time and the agent."""
    unique = str(uuid.uuid4())
    if run_group is not None:
        return f"{competition_id}_{unique}"
    parts = (get_timestamp(), competition_id, agent_id, unique[:8])
    return "_".join(part for part in parts if part)


def create_run_dir(
    competition_id: str | None = None,
    agent_id: str | None = None,
    run_group: str | None = None,
) -> Path:
    """Create the folder of a new run: inside a run group, or on its own."""
    run_id = generate_run_id(competition_id, agent_id, run_group)
    parent = get_runs_dir() / run_group if run_group is not None else get_runs_dir()
    run_dir = parent / run_id
    run_dir.mkdir(parents=True)
    return run_dir
