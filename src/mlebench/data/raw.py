"""The raw data to prepare from: a folder, a zip, or made up on the spot."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.checksums import Checksums
from mlebench.data.folders import has_files
from mlebench.data.manifest import INCOMPLETE_FILE
from mlebench.data.publishing import move, remove
from mlebench.data.verifying import NO_ZIP, ZipCheck, blamed_on, require_comparable, verify_zip
from mlebench.errors import DataSourceError, TaskNotWrittenError
from mlebench.preparing.archives import extract_all
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command_for

# Mounts and links to folders cannot be replaced, and one that was being filled is not empty;
# what is in them can be.
IMMOVABLE = (errno.EXDEV, errno.EBUSY, errno.ENOTDIR, errno.ENOTEMPTY)


@dataclass(frozen=True)
class RawData:
    """A folder of raw files and what becomes of it."""

    folder: Path
    archive: Path | None = None
    """The zip that goes with them."""
    is_unpacked: bool = False
    """Unpacked from that zip into the staging folder just now; may be kept."""
    zip_check: ZipCheck = NO_ZIP
    """How the zip they were unpacked from compares with the published one."""

    def keep(self, raw_dir: Path) -> None:
        """Keep what was unpacked, unless something lies there already."""
        if not self.is_unpacked or is_usable(raw_dir):
            return
        try:
            os.replace(self.folder, raw_dir)
        except OSError as error:
            if error.errno not in IMMOVABLE:
                raise
            with _unusable(raw_dir):
                for entry in sorted(self.folder.iterdir()):
                    move(entry, raw_dir / entry.name)


@contextmanager
def _unusable(folder: Path) -> Iterator[None]:
    """Empty a folder, and mark it meanwhile: killed now, it must not look like a source."""
    marker = folder / INCOMPLETE_FILE
    marker.touch()
    for entry in sorted(folder.iterdir()):
        if entry != marker:
            remove(entry)
    yield
    marker.unlink()


def is_usable(raw_dir: Path) -> bool:
    """Whether a folder holds raw files, all of them."""
    return has_files(raw_dir) and not (raw_dir / INCOMPLETE_FILE).exists()


def find_raw(competition: Competition, source: Path | None) -> Path:
    """The folder or zip to take: the given one, else what lies among the competition's data.

    Raises:
        DataSourceError: There is none.
    """
    if source is not None:
        return source
    if is_usable(competition.raw_dir):
        return competition.raw_dir
    archive = own_zip(competition)
    if archive is None:
        raise DataSourceError(
            f"There are no raw data for {competition.id}. Download them from Kaggle and pass the "
            f"zip or its unpacked folder with --from, or put the zip into {competition.data_dir}."
            + _fixture_hint(competition)
        )
    return archive


def _fixture_hint(competition: Competition) -> str:
    if competition.task is None:
        return ""
    made_up = command_for(competition, "prepare", "-c", competition.id, "--fixture")
    return f" To try it on tiny made-up data: {made_up}"


def open_raw(
    competition: Competition, source: Path | None, stage: Path, expected: Checksums | None
) -> RawData:
    """The raw files behind a source, unpacked into the staging folder where it is a zip."""
    found = find_raw(competition, source)
    if found.is_dir():
        zips = zips_in(competition.data_dir) if source is None else []
        return RawData(found, archive=zips[0] if len(zips) == 1 else None)
    if not _is_zip(found):
        what = "is neither a folder of raw files nor a zip" if found.exists() else "does not exist"
        raise DataSourceError(
            f"{found} {what}. Give the zip that Kaggle offers for {competition.id}, or a folder "
            "with what is in it; --fixture makes tiny data up."
        )
    zip_check = verify_zip(found, expected)
    require_comparable(zip_check, expected)  # before hours of work
    with blamed_on(zip_check):
        extract_all(found, stage / "raw")
    return RawData(stage / "raw", archive=found, is_unpacked=True, zip_check=zip_check)


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
    archives = zips_in(competition.data_dir)
    if len(archives) > 1:
        raise DataSourceError(f"{competition.data_dir} holds several zips; choose one with --from.")
    return archives[0] if archives else None


def zips_in(folder: Path) -> list[Path]:
    """The zips directly in a folder."""
    return sorted(filter(_is_zip, folder.iterdir())) if folder.is_dir() else []


def _is_zip(path: Path) -> bool:
    return path.suffix.lower() == ".zip" and path.is_file()
