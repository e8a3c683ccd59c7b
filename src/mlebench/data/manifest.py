"""What has been prepared for a competition, and from what."""

from __future__ import annotations

from pathlib import Path

import msgspec

from mlebench.errors import DamagedAnswersError, NotPreparedError
from mlebench.registry.competition import Competition

MANIFEST_FILE = "prepared.json"


class Manifest(msgspec.Struct, frozen=True):
    """How prepared data came about; lies beside the public and private folders."""

    competition_id: str
    edition: str
    source: str
    """``kaggle`` for published data, ``local`` for unverified, ``fixture`` for made-up data."""
    created_at: str
    mlebench: str
    versions: dict[str, str]
    seconds: float
    private_bytes: dict[str, int] = {}
    """The sizes of the private files, by which one that was cut off gives itself away."""


def read_manifest(competition: Competition) -> Manifest | None:
    """The manifest, if mlebench prepared these data."""
    path = competition.public_dir.parent / MANIFEST_FILE
    return msgspec.json.decode(path.read_bytes(), type=Manifest) if path.is_file() else None


def data_source(competition: Competition) -> str:
    """Where the prepared data come from, for reports."""
    manifest = read_manifest(competition)
    return manifest.source if manifest else "unknown"


def first_missing(competition: Competition, *, grading_only: bool = False) -> Path | None:
    """The first file or folder that must be there and is not, or is empty.

    Grading needs the answers only; running an agent needs the public files too.
    """
    needed = [competition.private_dir, competition.answers]
    if not grading_only:
        needed += [competition.public_dir, competition.sample_submission]
    return next((path for path in needed if not _is_there(path)), None)


def require_prepared(competition: Competition, *, grading_only: bool = True) -> None:
    """Raise unless the competition can be graded and is prepared.

    Raises:
        NotPreparedError: It is not.
        DamagedAnswersError: It was, but a part of the answers has got lost.
    """
    if competition.task:
        competition.task.require_written()
    if first_missing(competition, grading_only=grading_only):
        raise NotPreparedError(
            f"Dataset for competition `{competition.id}` is not prepared! Please run "
            f"`mlebench prepare -c {competition.id}` to prepare the dataset."
        )
    if _is_cut_off(competition):
        raise DamagedAnswersError(
            f"The prepared answers of {competition.id} are cut off. Prepare them again: "
            f"mlebench prepare -c {competition.id} --force"
        )


def _is_cut_off(competition: Competition) -> bool:
    """Whether the answers are shorter than they were when they were prepared."""
    answers, manifest = competition.answers, read_manifest(competition)
    if manifest is None or answers.parent != competition.private_dir:
        return False
    return answers.stat().st_size < manifest.private_bytes.get(answers.name, 0)


def _is_there(path: Path) -> bool:
    return path.is_file() or (path.is_dir() and any(path.iterdir()))
