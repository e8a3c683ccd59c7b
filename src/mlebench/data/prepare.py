"""From raw data to prepared data, in one atomic step.

Everything is built in a staging folder beside the final one and renamed into place when
it is complete and verified, so an interrupted preparation leaves no half-made data.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from mlebench.data.checksums import (
    Checksums,
    checksums_of,
    load_checksums,
    save_checksums,
    verify_prepared,
    verify_zip,
)
from mlebench.data.manifest import MANIFEST_FILE, Manifest, data_source, first_missing
from mlebench.errors import ConfigError, DataSourceError, TaskNotWrittenError
from mlebench.preparing.archives import extract_all
from mlebench.registry.competition import Competition
from mlebench.settings import own_version

logger = logging.getLogger(__name__)

STAGING_PREFIX = ".staging-"


def prepare(
    competition: Competition,
    source: Path | None = None,
    *,
    fixture: bool = False,
    keep_raw: bool = False,
    overwrite_checksums: bool = False,
    skip_verification: bool = False,
    force: bool = False,
) -> bool:
    """Prepare a competition's data; True if there was anything to do.

    Args:
        competition: The competition.
        source: A folder of raw files or the zip from Kaggle. By default the competition's
            own ``raw`` folder, else the one zip in its data folder.
        fixture: Make tiny raw data up instead of using real ones.
        keep_raw: Keep the unpacked zip.
        overwrite_checksums: Record the sums of these data as the published ones.
        skip_verification: Compare nothing with the published sums.
        force: Prepare again, whatever is there.
    """
    if not (force or overwrite_checksums) and _is_done(competition, fixture):
        logger.info("%s is prepared already.", competition.id)
        return False
    started = time.perf_counter()
    lenient = fixture or skip_verification or overwrite_checksums
    expected = None if lenient else load_checksums(competition.checksums)
    with (
        _staging(competition) as stage,
        _raw(competition, source, fixture, keep_raw, expected) as raw,
    ):
        public, private = stage / "public", stage / "private"
        public.mkdir()
        private.mkdir()
        logger.info("Preparing %s from %s", competition.id, raw)
        competition.prepare_fn(raw=raw, public=public, private=private)
        (public / "description.md").write_text(competition.description, encoding="utf-8")
        sums = {"public": checksums_of(public), "private": checksums_of(private)}
        verified = verify_prepared(competition.id, sums, expected)
        if overwrite_checksums:
            save_checksums(competition.checksums, sums, _own_zip(competition))
        kind = "fixture" if fixture else "kaggle" if verified else "local"
        manifest = _manifest(competition, kind, time.perf_counter() - started, private)
        (stage / MANIFEST_FILE).write_bytes(msgspec.json.encode(manifest))
        _swap_in(stage, competition.public_dir.parent)
    return True


def _is_done(competition: Competition, fixture: bool) -> bool:
    """Whether data of the wanted kind are there; real ones are never replaced by made-up ones."""
    if first_missing(competition):
        return False
    is_fixture = data_source(competition) == "fixture"
    if fixture and not is_fixture:
        raise ConfigError(
            f"{competition.data_dir} holds real data; pass --force to replace them by made-up ones."
        )
    return fixture == is_fixture


@contextmanager
def _staging(competition: Competition) -> Iterator[Path]:
    """A fresh folder beside the final one; gone afterwards, with what earlier runs left."""
    parent = competition.data_dir
    parent.mkdir(parents=True, exist_ok=True)
    for stale in parent.glob(f"{STAGING_PREFIX}*"):
        shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=parent) as staging:
        stage = Path(staging) / "prepared"
        stage.mkdir()
        yield stage


@contextmanager
def _raw(
    competition: Competition,
    source: Path | None,
    fixture: bool,
    keep_raw: bool,
    expected: Checksums | None,
) -> Iterator[Path]:
    """The folder of raw files to prepare from; afterwards only what is to stay of it stays."""
    if source is None and not fixture:
        source = _default_source(competition)
    if source is not None and source.is_dir() and not fixture:
        yield source
        if source == competition.raw_dir and not keep_raw and _own_zip(competition):
            shutil.rmtree(source)
        return
    with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=competition.data_dir) as folder:
        raw = Path(folder) / "raw"
        if source is None or fixture:
            _make_fixture(competition, raw)
        elif source.is_file() and source.suffix == ".zip":
            verify_zip(source, expected)
            extract_all(source, raw)
        else:
            raise DataSourceError(f"{source} is neither a folder of raw files nor a zip.")
        yield raw
        if keep_raw and not fixture and not _has_files(competition.raw_dir):
            shutil.rmtree(competition.raw_dir, ignore_errors=True)
            os.replace(raw, competition.raw_dir)


def _make_fixture(competition: Competition, raw: Path) -> None:
    if competition.task is None:
        raise TaskNotWrittenError(
            f"{competition.id} is in the original's format, which has no made-up data."
        )
    competition.task.fixture(raw)


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _default_source(competition: Competition) -> Path:
    if _has_files(competition.raw_dir):
        return competition.raw_dir
    archive = _own_zip(competition)
    if archive is None:
        raise DataSourceError(
            f"There are no raw data for {competition.id}. Download them from Kaggle and pass the "
            f"zip or its unpacked folder with --from, or put the zip into {competition.data_dir}; "
            "--fixture makes tiny data up instead."
        )
    return archive


def _own_zip(competition: Competition) -> Path | None:
    """The one zip in the competition's data folder."""
    archives = sorted(competition.data_dir.glob("*.zip"))
    if len(archives) > 1:
        raise DataSourceError(f"{competition.data_dir} holds several zips; choose one with --from.")
    return archives[0] if archives else None


def _manifest(competition: Competition, kind: str, seconds: float, private: Path) -> Manifest:
    return Manifest(
        competition_id=competition.id,
        edition=competition.edition,
        source=kind,
        created_at=datetime.now().isoformat(timespec="seconds"),
        mlebench=own_version(),
        versions={package: version(package) for package in ("numpy", "pandas")},
        seconds=round(seconds, 3),
        private_bytes={
            path.name: path.stat().st_size for path in sorted(private.iterdir()) if path.is_file()
        },
    )


def _swap_in(stage: Path, final: Path) -> None:
    """Put the finished folder in place of what was there before."""
    if final.exists():
        os.replace(final, stage.with_name("replaced"))
    os.replace(stage, final)
