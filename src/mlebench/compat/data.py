"""Competition data, under the import lines of the original."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.checksums import checksums_of, file_digest
from mlebench.data.manifest import first_missing
from mlebench.registry.competition import Competition

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "download_and_prepare_dataset",
    "ensure_leaderboard_exists",
    "generate_checksums",
    "get_checksum",
    "get_leaderboard",
    "is_dataset_prepared",
]

logger = logging.getLogger(__name__)


def is_dataset_prepared(competition: Competition, grading_only: bool = False) -> bool:
    """Whether the data are prepared; logs what is missing."""
    missing = first_missing(competition, grading_only=grading_only)
    if missing:
        logger.warning("%s is not prepared: %s is missing or empty.", competition.id, missing)
    return missing is None


def download_and_prepare_dataset(
    competition: Competition,
    keep_raw: bool = True,
    overwrite_checksums: bool = False,
    overwrite_leaderboard: bool = False,
    skip_verification: bool = False,
) -> None:
    """Prepare a competition from the raw data in its data folder."""
    from mlebench.data.leaderboards import download_leaderboard
    from mlebench.data.prepare import prepare

    if overwrite_leaderboard:
        download_leaderboard(competition)
    prepare(
        competition,
        keep_raw=keep_raw,
        overwrite_checksums=overwrite_checksums,
        skip_verification=skip_verification,
    )


def get_leaderboard(competition: Competition) -> pd.DataFrame:
    """All teams' scores, best first.

    The column ``rebuilt`` (and ``attrs["rebuilt"]``) says whether the scores between the
    published percentiles are interpolated.
    """
    return competition.load_leaderboard().to_frame()


def ensure_leaderboard_exists(competition: Competition, force: bool = False) -> Path:
    """The path of the leaderboard csv; downloads the full list if forced."""
    from mlebench.data.leaderboards import download_leaderboard

    return download_leaderboard(competition) if force else competition.leaderboard


def get_checksum(fpath: Path | str) -> str:
    """The md5 sum of a file."""
    return file_digest(Path(fpath))


def generate_checksums(target_dir: Path | str) -> dict[str, str]:
    """Md5 sums of the tables directly in a folder."""
    return checksums_of(Path(target_dir))
