"""What has been prepared for a competition, from what, and whether it can be used.

All of it is about one competition in one edition: data of another one never count, wherever
they lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from mlebench.data.checksums import file_digest
from mlebench.data.content import TableContent
from mlebench.data.folders import has_files
from mlebench.data.layout import MANIFEST_FILE, PUBLISHING_FILE
from mlebench.data.named_files import is_filled
from mlebench.data.publishing import recover
from mlebench.data.set_aside import Names
from mlebench.errors import damaged_answers
from mlebench.registry.competition import Competition
from mlebench.stamps import Stamp, file_stamp


class Manifest(msgspec.Struct, frozen=True):
    """How prepared data came about; lies beside the public and private folders."""

    competition_id: str
    edition: str
    source: str
    """``kaggle`` for published data, ``bundled`` for those that come with mlebench, ``local`` for
    unverified, ``fixture`` for made-up data."""
    created_at: str
    mlebench: str
    versions: dict[str, str]
    seconds: float
    private_bytes: dict[str, int] = {}
    """The sizes of the private files, by which one that was cut off gives itself away."""
    private_md5: dict[str, str] = {}
    """The sums of the private tables, for whoever doubts them."""
    layout: str = "archived"
    """Whether archives among the public files are as published or ``extracted``."""
    public_md5: dict[str, str] = {}
    content: dict[str, TableContent] = {}
    """What the tables of both parts hold, under names such as ``public/train.csv``."""
    files: int = 0
    """How many files there are in both parts; 0 if that was not counted yet."""
    bytes: int = 0
    names: dict[str, Names] = {}
    """What there is in each part, so that files of the user's beside it are told from it."""
    origin: str = ""
    """What they were made from: a path, the address of a mirror, or ``Kaggle``; empty for made-up
    data and where it is not known."""


@dataclass(frozen=True)
class Gap:
    """Why data cannot be used: the file or folder at fault, and what is wrong with it."""

    path: Path
    reason: str


def read_manifest(competition: Competition) -> Manifest | None:
    """The manifest, if mlebench prepared what lies there.

    It may be of another edition, or of another competition whose data somebody put there.
    """
    return _read(competition.prepared_dir / MANIFEST_FILE)


def data_source(competition: Competition) -> str:
    """Where the prepared data come from, for reports."""
    manifest = read_manifest(competition)
    is_own = manifest is not None and find_stranger(competition, manifest) is None
    return manifest.source if manifest and is_own else "unknown"


def has_real_data(competition: Competition) -> bool:
    """Whether anything lies there that is not known to be made up, be it usable or not.

    Real data may come without a manifest, from the original, or with a damaged one.
    """
    folder = competition.prepared_dir
    if not (has_files(competition.public_dir) or has_files(competition.private_dir)):
        return False
    # While data are put in place, the marker says what they are.
    told = _read(folder / PUBLISHING_FILE) or _read(folder / MANIFEST_FILE)
    return told is None or told.source != "fixture"


def is_prepared(
    competition: Competition, *, fixture: bool = False, layout: str | None = None
) -> bool:
    """Whether complete data of the wanted kind are there: real or made-up ones, in any layout."""
    if find_gap(competition) or has_real_data(competition) == fixture:
        return False
    manifest = read_manifest(competition)
    return layout is None or manifest is None or manifest.layout == layout


def find_gap(competition: Competition, *, grading_only: bool = False) -> Gap | None:
    """The first reason why a competition's data cannot be used.

    Grading needs the answers only; running an agent needs the public files too.
    """
    folder, edition = competition.prepared_dir, competition.edition
    path = folder / MANIFEST_FILE
    if (folder / PUBLISHING_FILE).exists() and not recover(folder):
        return Gap(path, f"{folder} is being prepared, or a preparation was interrupted there.")
    manifest = read_manifest(competition)
    if manifest is None and path.is_file():
        return Gap(path, f"{path} is damaged.")
    if manifest and (stranger := find_stranger(competition, manifest)):
        return Gap(path, stranger)
    needed = [competition.private_dir, competition.answers]
    if not grading_only:
        needed += [competition.public_dir, competition.sample_submission]
    # Answers that are empty are damaged to whoever grades, which is told elsewhere.
    is_there = _exists if grading_only else _is_filled
    if missing := next((path for path in needed if not is_there(path)), None):
        return Gap(missing, f"{missing} is missing or empty.")
    if manifest is None and edition != "v1":
        return Gap(path, f"{folder} does not say which edition it holds, so it counts as v1.")
    return None


def is_begun(competition: Competition) -> bool:
    """Whether there are files that do not say that another competition or edition is theirs."""
    manifest = read_manifest(competition)
    if manifest is not None and find_stranger(competition, manifest) is not None:
        return False
    return has_files(competition.public_dir) or has_files(competition.private_dir)


def is_cut_off(competition: Competition) -> bool:
    """Whether the answers are shorter than they were when they were prepared."""
    answers, manifest = competition.answers, read_manifest(competition)
    if manifest is None or answers.parent != competition.private_dir:
        return False
    return answers.stat().st_size < manifest.private_bytes.get(answers.name, 0)


def is_younger(competition: Competition) -> bool:
    """Whether the answers were written after the manifest: changed, or copied with it.

    The time of writing can be set to any other; the time when that was done cannot.
    """
    manifest = competition.prepared_dir / MANIFEST_FILE
    if not manifest.is_file():
        return False
    mine, its = competition.answers.stat(), manifest.stat()
    return mine.st_mtime_ns > its.st_mtime_ns or mine.st_ctime_ns > its.st_ctime_ns


def require_untouched(competition: Competition) -> None:
    """Raise if the answers are not those that were prepared, as far as that is on record.

    Takes a while, so it is for whoever is about to blame somebody else.

    Raises:
        DamagedAnswersError: They have been changed.
    """
    answers, manifest = competition.answers, read_manifest(competition)
    stated = manifest.private_md5.get(answers.name) if manifest else None
    if not stated or answers.parent != competition.private_dir:
        return
    if _digest(answers, file_stamp(answers)) != stated:
        raise damaged_answers(competition.id, "have been changed since they were prepared")


def find_stranger(competition: Competition, manifest: Manifest) -> str | None:
    """Why a manifest is not about this competition in this edition, if it is not."""
    folder = competition.prepared_dir
    if manifest.competition_id != competition.id:
        return f"{folder} holds data of {manifest.competition_id}, not of {competition.id}."
    if manifest.edition != competition.edition:
        return f"{folder} holds edition {manifest.edition}, not {competition.edition}."
    return None


def _read(path: Path) -> Manifest | None:
    try:
        return _decoded(path, file_stamp(path)) if path.is_file() else None
    except FileNotFoundError:  # removed meanwhile
        return None


@lru_cache(maxsize=100)
def _decoded(path: Path, stamp: Stamp) -> Manifest | None:
    """What a file held when it had this stamp; graders ask several times for a submission."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # `find_gap` reports it


@lru_cache(maxsize=100)
def _digest(path: Path, stamp: Stamp) -> str:
    """The sum of a file when it had this stamp."""
    return file_digest(path)


def _exists(path: Path) -> bool:
    return path.is_file() or has_files(path)


def _is_filled(path: Path) -> bool:
    return is_filled(path) or has_files(path)
