"""From raw data to prepared data of one edition, stage by stage.

    download → verify → extract → prepare → check → publish

Each stage builds something in the staging folder and has it on the disk before it counts.
Killed at any moment and started again, a preparation repeats no stage that was finished, and
its result is the same. The manifest is the last to be written and the last to move into place:
it is what "prepared" means.
"""

from __future__ import annotations

import logging
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from mlebench.data.building import (
    build,
    make_read_only,
    unpack_for_agents,
    versions,
    write_manifest,
)
from mlebench.data.checksums import (
    Checksums,
    file_digest,
    prepared_checksums,
    published_checksums,
    save_checksums,
    sums_to_record,
)
from mlebench.data.concluding import Checked, Keep, as_checked, conclude
from mlebench.data.durable import flush_tree
from mlebench.data.folders import link_tree
from mlebench.data.manifest import find_gap
from mlebench.data.publishing import abandon, is_publishable, publish, tidy
from mlebench.data.raw import is_download, zips_in
from mlebench.data.sources import BUNDLED, Source
from mlebench.data.staging import Staging
from mlebench.data.stamping import folder_stamp, origin_stamp
from mlebench.data.verifying import (
    NO_ZIP,
    ZipCheck,
    blamed_on,
    require_comparable,
    verify_prepared,
)
from mlebench.data.watching import Nobody, Watcher
from mlebench.errors import ChecksumMismatchError, DataSourceError
from mlebench.preparing.extraction import extract
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command_for

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Options:
    """What the result depends on, beyond what it is made from.

    Attributes:
        layout: ``archived`` leaves archives among the public files as they are published,
            ``extracted`` unpacks them.
        overwrite_checksums: Record the sums of these data as the published ones.
        skip_verification: Compare nothing with the published sums.
        must_be_complete: Refuse a result that lacks a file which the facts name.
    """

    layout: str = "archived"
    overwrite_checksums: bool = False
    skip_verification: bool = False
    must_be_complete: bool = True


@dataclass
class Pipeline:
    """One preparation; whoever runs it is the only one at work on these data.

    Attributes:
        competition: What is prepared, in its edition.
        source: Where raw data come from; none makes some up.
        options: What becomes of them.
        keep: What of it all stays.
        staging: Where the work is done.
        watcher: Is told how far it is.
        turn: Held in all stages but the download, so that not too many are at work at once.
    """

    competition: Competition
    source: Source | None
    options: Options
    keep: Keep
    staging: Staging
    watcher: Watcher = field(default_factory=Nobody)
    turn: AbstractContextManager[object] = field(default_factory=nullcontext)

    def run(self) -> None:
        """Prepare. An interruption leaves work to go on with, a failure leaves none."""
        origin = self.source.fetch(self.competition, self.watcher) if self.source else None
        try:
            with self.turn:
                self._run_stages(origin)
        except BaseException as error:
            if isinstance(error, Exception) or not self.source:  # made-up data are soon made again
                self.staging.remove()
                abandon(self.competition.prepared_dir)
            if isinstance(error, DataSourceError) and origin and self._is_ours(origin):
                raise self._with_remedy(error, origin) from error
            raise

    def _is_ours(self, origin: Path) -> bool:
        return is_download(origin, self.competition.data_dir)

    def _with_remedy(self, error: DataSourceError, download: Path) -> DataSourceError:
        """The same error, with what to do about a download that we would take again."""
        name = self.competition.id
        remove = command_for(self.competition, "data", "remove", name, "--zip", "--yes")
        said = f"{error}\nTo have {download.name} downloaded again, first remove it: {remove}"
        is_mismatch = isinstance(error, ChecksumMismatchError)
        return ChecksumMismatchError(said) if is_mismatch else DataSourceError(said)

    def _run_stages(self, origin: Path | None) -> None:
        started = time.perf_counter()
        if not self.staging.open(self._identity(origin)):
            tidy(self.competition.prepared_dir)
        archive = origin if origin and origin.is_file() else None
        expected = self._published()
        zip_check = self._verify(archive, expected)
        require_comparable(zip_check, expected)  # before hours of work
        with blamed_on(zip_check):
            raw = self._extract(archive) if archive else origin or self._make_up()
            self.watcher.stage("prepare")
            sums: Checksums = self.staging.do(
                "prepared", lambda place: self._build(raw, archive, place)
            )
        self.watcher.stage("check")

        def check(place: Path) -> dict[str, Any]:
            verified = verify_prepared(
                self.competition, self._prepared, sums, expected, zip_check=zip_check
            )
            wanted = self._sums_to_record(sums, archive or self._zip_beside(raw))
            self._complete(place, verified, sums, time.perf_counter() - started)
            checked = Checked(self._result.name, str(archive) if archive else None, wanted)
            return msgspec.to_builtins(checked)  # type: ignore[no-any-return]

        checked = as_checked(self.staging.do("check", check))
        self.watcher.stage("publish")
        if is_publishable(self._result, self.competition.prepared_dir):
            publish(self._result, self.competition.prepared_dir)
        elif find_gap(self.competition):  # published once, by somebody who was killed, and removed
            self.staging.remove()
            self._run_stages(origin)
            return
        if checked and checked.sums:
            save_checksums(self.competition, checked.sums)
        conclude(self.competition, self.staging, self.keep)

    def _identity(self, origin: Path | None) -> dict[str, Any]:
        """All that the result depends on."""
        # What is written in the end must not make the work of whoever is killed then useless.
        leave_out = [self.competition.checksums] if self.options.overwrite_checksums else []
        return {
            "competition": self.competition.id,
            "edition": self.competition.edition,
            "functions": folder_stamp(self.competition.folder, leave_out),
            "versions": versions(),
            "source": [str(origin), origin_stamp(origin)] if origin else "fixture",
            "options": asdict(self.options),
        }

    def _published(self) -> Checksums | None:
        """What the result is compared with, if it is to be."""
        options = self.options
        if not self.source or options.skip_verification or options.overwrite_checksums:
            return None
        return published_checksums(self.competition)

    def _sums_to_record(self, sums: Checksums, archive: Path | None) -> Checksums | None:
        if not self.options.overwrite_checksums:
            return None
        return sums_to_record(self.competition, self._prepared, sums, archive)

    def _verify(self, archive: Path | None, expected: Checksums | None) -> ZipCheck:
        """Compare the archive with the published one, if its sum is published."""
        if archive is None or not expected or "zip" not in expected:
            return NO_ZIP
        self.watcher.stage("verify")
        actual: str = self.staging.do("zip", lambda _: file_digest(archive))
        return ZipCheck(archive, expected["zip"], actual)

    def _zip_beside(self, raw: Path) -> Path | None:
        """The zip that the competition's own folder of raw files was unpacked from."""
        zips = zips_in(self.competition.data_dir) if raw == self.competition.raw_dir else []
        return zips[0] if len(zips) == 1 else None

    def _extract(self, archive: Path) -> Path:
        self.watcher.stage("extract")
        self.staging.do("raw", lambda place: extract(archive, place, on_bytes=self.watcher.advance))
        return self.staging.folder / "raw"

    def _make_up(self) -> Path:
        """Tiny raw data with the schema of the real ones."""
        if (task := self.competition.task) is not None:
            self.staging.do("raw", task.fixture)
        return self.staging.folder / "raw"

    def _build(self, raw: Path, archive: Path | None, prepared: Path) -> Checksums:
        return build(
            self.competition,
            raw,
            prepared,
            is_real=self.source is not None,
            archive=archive,
            must_be_complete=self.options.must_be_complete,
        )

    def _complete(self, place: Path, verified: bool, sums: Checksums, seconds: float) -> None:
        """Give checked data the form in which they are used, and their manifest.

        Archives are unpacked in another place: killed meanwhile, the checked data are still whole.
        """
        layout, result = self.options.layout, self._result
        if layout == "extracted":
            link_tree(self._prepared, place)
            unpack_for_agents(place / "public")
            sums = prepared_checksums(place)
        make_read_only(result / "public")
        published = BUNDLED if self.competition.facts.bundled else "kaggle"
        kind = published if verified else "local" if self.source else "fixture"
        origin = self.source.origin if self.source else ""
        write_manifest(self.competition, result, kind, layout, seconds, sums, origin)
        if self.source:
            flush_tree(result)

    @property
    def _prepared(self) -> Path:
        return self.staging.folder / "prepared"

    @property
    def _result(self) -> Path:
        """What is published in the end."""
        is_unpacked = self.options.layout == "extracted"
        return self.staging.folder / "check" if is_unpacked else self._prepared
