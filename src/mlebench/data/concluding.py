"""What is on record once data are checked, and what is left to do once they are published."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import NamedTuple

import msgspec

from mlebench.data.checksums import Checksums
from mlebench.data.publishing import is_publishable, take_back, tidy
from mlebench.data.raw import forget_download, keep_raw, zip_place
from mlebench.data.receiving import forget_part
from mlebench.data.staging import Staging
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)


class Keep(NamedTuple):
    """Whether what was unpacked, and what was downloaded, stays once it is used."""

    raw: bool = False
    zip: bool = False


class Checked(msgspec.Struct, frozen=True):
    """What is on record once data are checked.

    Attributes:
        result: The folder that they are in.
        archive: What they were made from.
        sums: What is to be recorded as published, if anything is.
    """

    result: str
    archive: str | None
    sums: Checksums | None = None


def as_checked(found: object) -> Checked | None:
    """What the record says, unless it is damaged."""
    try:
        return msgspec.convert(found, Checked)
    except msgspec.ValidationError:
        return None


def conclude(competition: Competition, staging: Staging, keep: Keep) -> None:
    """Once data are published: keep or remove what they were made from, and clear up.

    What an interrupted preparation has not published yet is left to whoever goes on with it.
    """
    found = staging.found("check")
    if found is None:
        return
    left = as_checked(found)
    if left is None:
        logger.warning("What %s says about its stages is damaged; it is removed.", staging.folder)
        staging.remove()
        return
    if is_publishable(staging.folder / left.result, competition.prepared_dir):
        take_back(staging.folder / left.result, competition.prepared_dir)
        return
    tidy(competition.prepared_dir)
    if left.archive:
        if keep.raw:
            keep_raw(staging.folder / "raw", competition.raw_dir)
        forget_part(zip_place(competition))
        forget_download(Path(left.archive), competition.data_dir, keep=keep.zip)
    staging.remove()
