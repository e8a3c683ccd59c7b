"""The names of files and folders among the data of a competition."""

from __future__ import annotations

PARTS = ("public", "private")

MANIFEST_FILE = "prepared.json"

PUBLISHING_FILE = ".publishing"
"""The next manifest, for as long as new data take the place of old ones."""

INCOMING = ".mlebench-incoming"
"""New content, before the old one has moved aside."""
ARRIVING = ".mlebench-arriving"
"""New content, since then."""
OUTGOING = ".mlebench-outgoing"
HIDDEN = (INCOMING, ARRIVING, OUTGOING)

INCOMPLETE_FILE = ".mlebench-incomplete"
"""Stands in a folder of raw data that is being filled, and says which one that is."""

LOCK_FILE = ".prepare.lock"
STAGING_PREFIX = ".staging-"
SET_ASIDE_PREFIX = "set-aside-"

PART_SUFFIX = ".part"
"""Follows the name of a file that is still arriving."""

DOWNLOAD_NOTE = ".download"
"""Tells which file is a zip that was downloaded by us, and may be removed once it is used."""


def zip_name(competition_id: str) -> str:
    """What the zip of a competition is called, by Kaggle's tools, on mirrors and here."""
    return f"{competition_id}.zip"
