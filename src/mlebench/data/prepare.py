"""From raw data to prepared data of one edition.

Everything is built and verified in a staging folder and put in place when it is complete, by
one process at a time. So an interrupted preparation leaves nothing that could be taken for data.
"""

from __future__ import annotations

import logging
import time
from datetime import datetime
from pathlib import Path

import msgspec

from mlebench.data.checksums import (
    Checksums,
    checksums_of,
    published_checksums,
    save_checksums,
)
from mlebench.data.manifest import (
    MANIFEST_FILE,
    Manifest,
    has_real_data,
    is_prepared,
)
from mlebench.data.named_files import wrong_paths
from mlebench.data.publishing import publish
from mlebench.data.raw import RawData, make_up_raw, open_raw
from mlebench.data.raw_faults import faults_told, require_usable
from mlebench.data.staging import sole_use, staging
from mlebench.data.verifying import verify_prepared
from mlebench.errors import ConfigError
from mlebench.preparing.files import fresh_file
from mlebench.registry.competition import Competition
from mlebench.registry.facts import FACTS_FILE
from mlebench.settings import PACKAGE_DIR
from mlebench.versions import own_version, version_of

COMPETITIONS_DIR = PACKAGE_DIR / "competitions"

# Whatever may change the bytes of a table.
VERSIONS_OF = ("numpy", "pandas", "pyarrow")

logger = logging.getLogger(__name__)


def prepare(
    competition: Competition,
    source: Path | str | None = None,
    *,
    fixture: bool = False,
    keep_raw: bool = False,
    overwrite_checksums: bool = False,
    skip_verification: bool = False,
    force: bool = False,
    timeout: float | None = None,
) -> bool:
    """Prepare a competition's data in its edition; True if there was anything to do.

    Args:
        competition: The competition.
        source: A folder of raw files or the zip from Kaggle. By default the competition's
            own ``raw`` folder, else the one zip in its data folder.
        fixture: Make tiny raw data up instead of using real ones.
        keep_raw: Keep the unpacked zip.
        overwrite_checksums: Record the sums of these data as the published ones.
        skip_verification: Compare nothing with the published sums.
        force: Prepare again, whatever is there.
        timeout: How many seconds to wait for another process that prepares the same
            competition; by default as the environment says.

    Raises:
        BusyError: Another process did not finish in time.
        ConfigError: The options do not fit each other or what is there.
        TaskNotWrittenError: The competition has no functions yet.
    """
    if fixture and overwrite_checksums:
        raise ConfigError(
            "The sums of made-up data cannot be the published ones: pass either --fixture or "
            "--overwrite-checksums."
        )
    if competition.task:
        competition.task.require_written()

    def is_done() -> bool:
        if fixture and not force:
            _protect_real_data(competition)
        return not (force or overwrite_checksums) and _is_done(competition, fixture)

    if is_done():
        return False
    with sole_use(competition.data_dir, timeout):
        if is_done():  # by whoever was waited for
            return False
        lenient = fixture or skip_verification or overwrite_checksums
        expected = None if lenient else published_checksums(competition)
        with staging(competition.data_dir) as stage:
            started = time.perf_counter()
            raw = (
                make_up_raw(competition, stage)
                if fixture
                else open_raw(competition, Path(source) if source else None, stage, expected)
            )
            prepared = stage / "prepared"
            sums = (
                _build(competition, raw.folder, prepared)
                if fixture
                else _build_from_strangers(competition, raw, prepared)
            )
            verified = verify_prepared(
                competition, prepared, sums, expected, zip_agrees=raw.is_published
            )
            if overwrite_checksums:
                save_checksums(competition, prepared, sums, raw.archive)
            kind = "fixture" if fixture else "kaggle" if verified else "local"
            _write_manifest(competition, prepared, kind, time.perf_counter() - started, sums)
            if keep_raw:
                raw.keep(competition.raw_dir)
            publish(prepared, competition.prepared_dir)
    return True


def _build_from_strangers(competition: Competition, raw: RawData, prepared: Path) -> Checksums:
    """As `_build`; where one of our own preparations fails, the raw data are not as they were.

    Raises:
        DataSourceError: They are damaged, or not those of the contest.
    """
    if competition.task is None or competition.folder.parent != COMPETITIONS_DIR:
        return _build(competition, raw.folder, prepared)
    with faults_told(competition, raw):
        sums = _build(competition, raw.folder, prepared)
        require_usable(competition, prepared)
    return sums


def _protect_real_data(competition: Competition) -> None:
    """Refuse to put made-up data in the place of what may be real ones."""
    if has_real_data(competition):
        raise ConfigError(
            f"{competition.prepared_dir} holds real data, or data that do not say what they are; "
            "pass --force to replace them by made-up ones."
        )


def _is_done(competition: Competition, fixture: bool) -> bool:
    is_done = is_prepared(competition, fixture=fixture)
    if is_done:
        logger.info("%s is prepared already.", competition.id)
    return is_done


def _build(competition: Competition, raw: Path, prepared: Path) -> Checksums:
    """Make the public files and the answers, and their sums."""
    public, private = prepared / "public", prepared / "private"
    public.mkdir(parents=True)
    private.mkdir()
    logger.info("Preparing %s (%s) from %s", competition.id, competition.edition, raw)
    competition.prepare_fn(raw=raw, public=public, private=private)
    fresh_file(public / "description.md").write_text(competition.description, encoding="utf-8")
    if competition.task:
        for wrong in wrong_paths(competition.facts, prepared):
            logger.warning("%s names a file that is not there. %s", FACTS_FILE, wrong)
    return {"public": checksums_of(public), "private": checksums_of(private)}


def _write_manifest(
    competition: Competition, prepared: Path, kind: str, seconds: float, sums: Checksums
) -> None:
    files = sorted(path for path in (prepared / "private").iterdir() if path.is_file())
    manifest = Manifest(
        competition_id=competition.id,
        edition=competition.edition,
        source=kind,
        created_at=datetime.now().isoformat(timespec="seconds"),
        mlebench=own_version(),
        versions={package: version_of(package) or "unknown" for package in VERSIONS_OF},
        seconds=round(seconds, 3),
        private_bytes={path.name: path.stat().st_size for path in files},
        private_md5=sums["private"],
    )
    (prepared / MANIFEST_FILE).write_bytes(msgspec.json.encode(manifest))
