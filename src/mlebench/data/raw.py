"""The raw data to prepare from: a folder, a zip, or made up on the spot."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.checksums import Checksums
from mlebench.data.verifying import verify_zip
from mlebench.errors import DataSourceError, TaskNotWrittenError
from mlebench.preparing.archives import extract_all
from mlebench.registry.competition import Competition


@dataclass(frozen=True)
class RawData:
    """A folder of raw files and what becomes of it."""

    folder: Path
    is_unpacked: bool = False
    """Unpacked from a zip into the staging folder; may be kept."""
    is_surplus: bool = False
    """Unpacked earlier from the competition's own zip, which is still there; may be removed."""

    def keep(self, raw_dir: Path) -> None:
        """Keep what was unpacked, unless something lies there already."""
        if self.is_unpacked and not has_files(raw_dir):
            os.replace(self.folder, raw_dir)

    def discard(self, stage: Path) -> None:
        """Remove what the zip gives again, all at once: half a folder would look like a source."""
        if not self.is_surplus:
            return
        try:
            self.folder.rename(stage / "used")
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EBUSY):
                raise
            shutil.rmtree(self.folder)


def find_raw(competition: Competition, source: Path | None) -> Path:
    """The folder or zip to take: the given one, else what lies among the competition's data.

    Raises:
        DataSourceError: There is none.
    """
    if source is not None:
        return source
    if has_files(competition.raw_dir):
        return competition.raw_dir
    archive = own_zip(competition)
    if archive is None:
        raise DataSourceError(
            f"There are no raw data for {competition.id}. Download them from Kaggle and pass the "
            f"zip or its unpacked folder with --from, or put the zip into {competition.data_dir}; "
            "--fixture makes tiny data up instead."
        )
    return archive


def open_raw(
    competition: Competition, source: Path | None, stage: Path, expected: Checksums | None
) -> RawData:
    """The raw files behind a source, unpacked into the staging folder where it is a zip."""
    found = find_raw(competition, source)
    if found.is_dir():
        return RawData(found, is_surplus=source is None and len(_zips(competition)) == 1)
    if not (found.is_file() and found.suffix == ".zip"):
        raise DataSourceError(f"{found} is neither a folder of raw files nor a zip.")
    verify_zip(found, expected)
    extract_all(found, stage / "raw")
    return RawData(stage / "raw", is_unpacked=True)


def make_up_raw(competition: Competition, stage: Path) -> RawData:
    """Tiny raw data with the schema of the real ones."""
    if competition.task is None:
        raise TaskNotWrittenError(
            f"{competition.id} is in the original's format, which has no made-up data."
        )
    competition.task.fixture(stage / "raw")
    return RawData(stage / "raw")


def own_zip(competition: Competition) -> Path | None:
    """The one zip in the competition's data folder."""
    archives = _zips(competition)
    if len(archives) > 1:
        raise DataSourceError(f"{competition.data_dir} holds several zips; choose one with --from.")
    return archives[0] if archives else None


def _zips(competition: Competition) -> list[Path]:
    return sorted(competition.data_dir.glob("*.zip"))


def has_files(folder: Path) -> bool:
    """Whether a folder exists and is not empty."""
    return folder.is_dir() and any(folder.iterdir())
