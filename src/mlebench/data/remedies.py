"""The command that prepares a competition from what its data were made from, as it works here."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from mlebench.data.manifest import Manifest, find_stranger, has_real_data, read_manifest
from mlebench.data.raw import is_usable, zips_in
from mlebench.data.sources import KAGGLE, is_address
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command_for
from mlebench.settings import BUILT_IN_DIR

WHATEVER_PATH = "PATH"
"""Stands in a command for raw data of which nobody has noted where they are."""


def prepare_command(competition: Competition, *options: str) -> str:
    """The command that prepares a competition.

    It names what the data there were made from. Where there are none, it makes some up, unless raw
    ones are at hand. Competitions of the user's are not looked for at Kaggle.
    """
    words = ["prepare", "-c", competition.id, *options, *source_options(competition)]
    return command_for(competition, *words)


def source_options(competition: Competition) -> list[str | Path]:
    """How `prepare` is told what to make the data from; nothing if it finds that by itself."""
    manifest = _own_manifest(competition)
    if manifest and manifest.source == "fixture":
        return ["--fixture"]
    origin = manifest.origin if manifest else ""
    if is_address(origin):
        return ["--from", origin]
    if origin == KAGGLE or _is_at_hand(competition):
        return []
    if origin and not _is_among_data(origin, competition):
        return ["--from", Path(origin)]
    if competition.task and not has_real_data(competition):
        return ["--fixture"]
    return [] if competition.folder.parent == BUILT_IN_DIR else ["--from", WHATEVER_PATH]


def _is_at_hand(competition: Competition) -> bool:
    """Whether preparing finds raw data without being told where they are."""
    if competition.facts.bundled:
        return True
    return is_usable(competition.raw_dir) or bool(zips_in(competition.data_dir))


def _is_among_data(origin: str, competition: Competition) -> bool:
    return Path(origin).is_relative_to(competition.data_dir.absolute())


def describe_loss(competition: Competition) -> str | None:
    """A sentence if what the data were made from, a file or folder of the user's, is gone."""
    manifest = _own_manifest(competition)
    origin = manifest.origin if manifest else ""
    if not Path(origin).is_absolute() or os.path.lexists(origin):
        return None
    if _is_among_data(origin, competition):  # a download, which goes once it is used
        return None
    return f"They were made from {origin}, which is not there any more: pass its new place."


def describe_making(competition: Competition) -> str:
    """From what the data there were made and when, as far as that is known, to follow a noun."""
    manifest = _own_manifest(competition)
    if manifest is None:
        return ""
    origin = "made-up data" if manifest.source == "fixture" else manifest.origin
    source = f" from {origin}" if origin else ""
    return f"{source} at {_moment(manifest.created_at)}"


def _moment(created_at: str) -> str:
    """A time to read, without its seconds."""
    try:
        return f"{datetime.fromisoformat(created_at):%Y-%m-%d %H:%M}"
    except ValueError:  # somebody edited it
        return created_at


def _own_manifest(competition: Competition) -> Manifest | None:
    """The manifest, if it is about this competition in this edition."""
    manifest = read_manifest(competition)
    return None if manifest is None or find_stranger(competition, manifest) else manifest
