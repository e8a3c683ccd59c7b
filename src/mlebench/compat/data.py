"""Competition data, under the import lines of the original."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.compat.downloading import download_zip, ensure_raw
from mlebench.compat.kaggle_api import authenticate_kaggle_api
from mlebench.data.checksums import COVERED_SUFFIXES, checksums_of, file_digest
from mlebench.data.leaderboards import download_leaderboard, ensure_leaderboard_exists
from mlebench.data.manifest import find_gap, is_prepared
from mlebench.registry.competition import Competition
from mlebench.registry.scores_file import score_column
from mlebench.registry.signatures import PREPARE_PARAMETERS

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "create_prepared_dir",
    "download_and_prepare_dataset",
    "download_dataset",
    "ensure_leaderboard_exists",
    "generate_checksums",
    "get_checksum",
    "get_last_modified",
    "get_leaderboard",
    "is_dataset_prepared",
    "is_valid_prepare_fn",
]

logger = logging.getLogger(__name__)


def is_dataset_prepared(competition: Competition, grading_only: bool = False) -> bool:
    """Whether the data are prepared; logs what is missing."""
    gap = find_gap(competition, grading_only=grading_only)
    if gap:
        logger.warning("%s is not prepared: %s", competition.id, gap.reason)
    return gap is None


def download_and_prepare_dataset(
    competition: Competition,
    keep_raw: bool = True,
    overwrite_checksums: bool = False,
    overwrite_leaderboard: bool = False,
    skip_verification: bool = False,
) -> None:
    """Prepare a competition, from Kaggle's files where its data folder has no raw ones."""
    from mlebench.data.prepare import prepare

    if overwrite_leaderboard:
        download_leaderboard(competition)
    if overwrite_checksums or not is_prepared(competition):
        ensure_raw(competition, _fetch)
    prepare(
        competition,
        keep_raw=keep_raw,
        overwrite_checksums=overwrite_checksums,
        skip_verification=skip_verification,
    )


def download_dataset(
    competition_id: str, download_dir: Path | str, quiet: bool = False, force: bool = False
) -> Path:
    """The one zip of a competition's raw data in a folder, fetched from Kaggle if need be.

    Raises:
        PermissionError: There is no Kaggle login, or Kaggle refuses it.
        DataSourceError: The download failed, or the folder holds several zips.
    """
    fetch = partial(_fetch, quiet=quiet, force=force)
    return download_zip(competition_id, Path(download_dir), fetch, force=force)


def _fetch(competition_id: str, folder: Path, quiet: bool = False, force: bool = False) -> None:
    """Download with the official client where it is installed, as the original does."""
    authenticate_kaggle_api().competition_download_files(
        competition=competition_id, path=str(folder), quiet=quiet, force=force
    )


def create_prepared_dir(competition: Competition) -> None:
    """Make the folders that preparation writes to."""
    competition.public_dir.mkdir(parents=True, exist_ok=True)
    competition.private_dir.mkdir(parents=True, exist_ok=True)


def is_valid_prepare_fn(preparer_fn: Callable[..., Any]) -> bool:
    """Whether a function takes exactly ``raw``, ``public`` and ``private``, in this order."""
    try:
        return tuple(inspect.signature(preparer_fn).parameters) == PREPARE_PARAMETERS
    except (TypeError, ValueError):  # it hides its parameters
        return False


def get_leaderboard(competition: Competition) -> pd.DataFrame:
    """All teams' scores, best first: the columns of the file where there is a full list.

    ``attrs["rebuilt"]`` says whether the scores between the published percentiles are
    interpolated; the only column then is ``score``.
    """
    import pandas as pd

    board = competition.load_leaderboard()
    if board.rebuilt:
        frame = pd.DataFrame({"score": board.scores})
    else:
        frame = pd.read_csv(competition.leaderboard)
        frame = frame.rename(columns={score_column(frame.columns): "score"})
        frame = frame.dropna(subset=["score"]).reset_index(drop=True)
    frame.attrs["rebuilt"] = board.rebuilt
    return frame


def get_checksum(fpath: Path | str) -> str:
    """The md5 sum of a file."""
    return file_digest(Path(fpath))


def generate_checksums(
    target_dir: Path | str,
    exts: Iterable[str] | None = None,
    exclude: Iterable[Path | str] | None = None,
) -> dict[str, str]:
    """Md5 sums of files directly in a folder.

    Args:
        target_dir: The folder.
        exts: Which kinds of files, such as ``csv``; by default those of tables.
        exclude: Files to leave out, by path or by name.
    """
    folder = Path(target_dir)
    suffixes = COVERED_SUFFIXES if exts is None else {f".{ext.lstrip('.')}" for ext in exts}
    unwanted = {path for entry in exclude or () for path in (Path(entry), folder / entry)}
    return checksums_of(folder, suffixes, unwanted)


def get_last_modified(fpath: Path | str) -> datetime:
    """When a file was last changed, in local time."""
    return datetime.fromtimestamp(Path(fpath).stat().st_mtime)
