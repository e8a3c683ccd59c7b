"""What happens to prepared data between the function that makes them and their publication."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from mlebench.data.checksums import Checksums, prepared_checksums, prepared_contents
from mlebench.data.folders import size_of
from mlebench.data.layout import MANIFEST_FILE, PARTS
from mlebench.data.manifest import Manifest
from mlebench.data.named_files import is_filled, wrong_paths
from mlebench.data.raw_faults import faults_told, require_usable, whereabouts_told
from mlebench.data.set_aside import names_in
from mlebench.errors import TaskError
from mlebench.preparing.extraction import extract_inner
from mlebench.preparing.files import fresh_file
from mlebench.printable import printable
from mlebench.registry.competition import Competition
from mlebench.registry.facts import FACTS_FILE
from mlebench.settings import BUILT_IN_DIR
from mlebench.versions import own_version, version_of

# Whatever may change the bytes of a table.
VERSIONS_OF = ("numpy", "pandas", "pyarrow")
DESCRIPTION_FILE = "description.md"

logger = logging.getLogger(__name__)


def versions() -> dict[str, str]:
    """Ours, and those of the libraries that write tables."""
    return {
        "mlebench": own_version(),
        **{package: version_of(package) or "unknown" for package in VERSIONS_OF},
    }


def build(
    competition: Competition,
    raw: Path,
    prepared: Path,
    *,
    is_real: bool,
    archive: Path | None = None,
    must_be_complete: bool = True,
) -> Checksums:
    """Make the public files and the answers; returns the sums of the tables.

    Args:
        competition: The competition.
        raw: The folder of raw files.
        prepared: The folder to fill, which does not exist yet.
        is_real: Whether the raw data are somebody's, so that they may be wrong.
        archive: What they were unpacked from.
        must_be_complete: Refuse a result that lacks a file which the facts name.

    Raises:
        DataSourceError: The raw data are damaged, or not those of the contest.
        TaskError: The author's function fails, or does not write what the facts name.
    """
    if not is_real:
        return _build(competition, raw, prepared, must_be_complete)
    if competition.folder.parent != BUILT_IN_DIR:
        with whereabouts_told(competition, raw, archive):
            return _build(competition, raw, prepared, must_be_complete)
    with faults_told(competition, raw, archive):
        sums = _build(competition, raw, prepared, must_be_complete)
        require_usable(competition, prepared)
    return sums


def _build(
    competition: Competition, raw: Path, prepared: Path, must_be_complete: bool
) -> Checksums:
    public, private = (prepared / part for part in PARTS)
    public.mkdir(parents=True)
    private.mkdir()
    logger.info("Preparing %s (%s) from %s", competition.id, competition.edition, raw)
    competition.prepare_fn(raw=raw, public=public, private=private)
    fresh_file(public / DESCRIPTION_FILE).write_text(competition.description, encoding="utf-8")
    if must_be_complete:
        _require_named_files(competition, prepared)
    _require_text_names(competition, prepared)
    return prepared_checksums(prepared)


def _require_named_files(competition: Competition, prepared: Path) -> None:
    """Refuse a result that lacks what grading needs, rather than put it in place of another.

    Raises:
        TaskError: The facts name files that are not there.
    """
    answers, sample = (
        prepared / path.relative_to(competition.prepared_dir)
        for path in (competition.answers, competition.sample_submission)
    )
    wrong = list(wrong_paths(competition.facts, prepared))
    if not (is_filled(answers) and is_filled(sample)):
        raise TaskError(
            f"What prepare of {competition.id} wrote is not what {FACTS_FILE} names. "
            + " ".join(wrong)
        )
    for sentence in wrong:
        logger.warning("%s names a file that is not there. %s", FACTS_FILE, sentence)


def _require_text_names(competition: Competition, prepared: Path) -> None:
    """Refuse names that the manifest cannot hold, as they are refused in archives.

    Raises:
        TaskError: A file or folder has a name that is not UTF-8.
    """
    for path in _odd_names(prepared):
        shown = os.fsencode(path.relative_to(prepared)).decode(errors="backslashreplace")
        raise TaskError(
            f"prepare of {competition.id} wrote {printable(shown)}, which has a name that is not "
            "UTF-8. If it comes from the raw data, rename it there."
        )


def _odd_names(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            try:
                name.encode()
            except UnicodeEncodeError:
                yield Path(place, name)


def make_read_only(folder: Path) -> None:
    """Take the right to write from all files: some of them are links to raw files."""
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)  # noqa: PTH118 (there may be a million)
            mode = os.lstat(path).st_mode
            if mode & 0o222 and not os.path.islink(path):  # noqa: PTH114
                os.chmod(path, mode & 0o555)  # noqa: PTH101


def unpack_for_agents(public: Path) -> None:
    """Unpack archives among the public files, and tell so at the end of the description."""
    unpacked = extract_inner(public)
    if not unpacked:
        return
    description = public / DESCRIPTION_FILE
    heading = "## Unpacked archives"
    told = description.read_text(encoding="utf-8")
    lines = "".join(f"- `{archive}` is `{became}`\n" for archive, became in unpacked)
    fresh_file(description).write_text(
        f"{told.rstrip()}\n\n{heading}\n\nIn this copy of the data, archives are unpacked:\n\n"
        f"{lines}",
        encoding="utf-8",
    )


def write_manifest(
    competition: Competition,
    prepared: Path,
    kind: str,
    layout: str,
    seconds: float,
    sums: Checksums,
    origin: str,
) -> None:
    """Tell how data came about; younger than everything it tells about."""
    known = versions()
    files = sorted(path for path in (prepared / "private").iterdir() if path.is_file())
    size = size_of(*(prepared / part for part in PARTS))
    manifest = Manifest(
        competition_id=competition.id,
        edition=competition.edition,
        source=kind,
        created_at=datetime.now().isoformat(timespec="seconds"),
        mlebench=known.pop("mlebench"),
        versions=known,
        seconds=round(seconds, 3),
        layout=layout,
        private_bytes={path.name: path.stat().st_size for path in files},
        private_md5=sums["private"],
        public_md5=sums["public"],
        content=prepared_contents(competition, prepared, sums),
        files=size.files,
        bytes=size.bytes,
        names=names_in(prepared),
        origin=origin,
    )
    (prepared / MANIFEST_FILE).write_bytes(msgspec.json.encode(manifest))
