"""Fetching the zip of a competition's raw data where there is none, by whatever client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mlebench.data.raw import is_usable, zips_in
from mlebench.errors import DataSourceError
from mlebench.registry.competition import Competition

Fetch = Callable[[str, Path], object]
"""Puts the zip of the competition of this id into a folder."""


def download_zip(competition_id: str, folder: Path, fetch: Fetch, *, force: bool = False) -> Path:
    """The one zip of a competition's raw data in a folder, fetched if need be.

    Args:
        competition_id: The competition.
        folder: Where the zip is or goes.
        fetch: How to get it.
        force: Fetch it even if it is there already.

    Raises:
        DataSourceError: The folder holds several zips, or none in the end.
    """
    if force or not zips_in(folder):
        fetch(competition_id, folder)
    archives = zips_in(folder)
    if len(archives) != 1:
        raise DataSourceError(
            f"Expected one zip in {folder}, found {len(archives)}. Have only the one there that "
            f"https://www.kaggle.com/competitions/{competition_id}/data offers."
        )
    return archives[0]


def ensure_raw(competition: Competition, fetch: Fetch) -> None:
    """Fetch the raw data, unless they are there, unpacked or packed."""
    if not is_usable(competition.raw_dir):
        download_zip(competition.id, competition.data_dir, fetch)
