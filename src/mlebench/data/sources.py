"""Where raw data come from: Kaggle, a mirror, a folder or archive at hand, or this package.

A source is anything that can `fetch`: it returns a folder of raw files or an archive of them,
on this machine. What it had to bring here first lies among the competition's data, so that a
download which was interrupted goes on, and one that is complete is not repeated.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from mlebench.data.layout import STAGING_PREFIX
from mlebench.data.raw import is_archive, is_usable, note_download, own_zip, zip_named
from mlebench.data.watching import Watcher
from mlebench.errors import (
    ConfigError,
    DataSourceError,
    KaggleAuthError,
    MlebenchError,
    UnavailableError,
    UnreadableFileError,
)
from mlebench.registry.competition import Competition
from mlebench.registry.facts import FACTS_FILE, RAW_FOLDER
from mlebench.settings import expanded

KAGGLE = "Kaggle"
BUNDLED = "bundled"


class Source(Protocol):
    """Something that raw data can be had from."""

    @property
    def kind(self) -> str:
        """What it is, in a word or two for tables."""

    @property
    def origin(self) -> str:
        """Which one it is, for the manifest: what is secret in an address is left out."""

    def fetch(self, competition: Competition, watcher: Watcher) -> Path:
        """A folder of raw files, or an archive of them."""


@dataclass(frozen=True)
class AtHand:
    """A folder or an archive that is there."""

    path: Path

    @property
    def kind(self) -> str:
        """What it is."""
        if self.path.is_dir():
            return "folder"
        return "archive" if self.path.exists() else "nothing"

    @property
    def origin(self) -> str:
        """The whole path; none if it cannot be written down."""
        path = str(self.path.absolute())
        return path if path.isprintable() else ""

    def fetch(self, competition: Competition, watcher: Watcher) -> Path:
        """The folder or archive itself."""
        if self.path.is_dir() or is_archive(self.path):
            return self.path
        what = "is neither a folder of raw files nor an archive"
        if not self.path.exists():
            what = "does not exist" + ("" if self.path.suffix else ", nor does a zip of that name")
        raise DataSourceError(
            f"{self.path} {what}. Give the zip that Kaggle offers for {competition.id}, or a "
            "folder with what is in it; --fixture makes tiny data up."
        )


@dataclass(frozen=True)
class FromPackage:
    """The folder of raw files that comes with a competition."""

    kind = BUNDLED
    origin = "what comes with mlebench"

    def fetch(self, competition: Competition, watcher: Watcher) -> Path:
        """The folder itself.

        Raises:
            DataSourceError: It is not there.
        """
        folder = competition.folder / RAW_FOLDER
        if not folder.is_dir():
            raise DataSourceError(
                f"{folder} is missing, though {FACTS_FILE} says that the data of {competition.id} "
                "come with it. Install mlebench anew, or mend the competition."
            )
        return folder


@dataclass(frozen=True)
class FromKaggle:
    """The download that Kaggle offers to whoever has a login and accepted the rules."""

    kind = KAGGLE
    origin = KAGGLE

    def fetch(self, competition: Competition, watcher: Watcher) -> Path:
        """The zip among the competition's data, downloaded as far as it is not there yet."""
        from mlebench.data.kaggle import KaggleClient

        watcher.stage("download")
        try:
            return KaggleClient().download_all(
                competition.id,
                competition.data_dir,
                on_bytes=watcher.advance,
                on_whole=note_download,
            )
        except (KaggleAuthError, UnavailableError) as error:
            raise without_kaggle(error) from error


@dataclass(frozen=True)
class FromMirror:
    """A place that serves the archives of competitions under an address."""

    address: str

    kind = "mirror"

    @property
    def origin(self) -> str:
        """The address, as far as everybody may know it."""
        from mlebench.data.web import public

        return public(self.address)

    def fetch(self, competition: Competition, watcher: Watcher) -> Path:
        """The zip among the competition's data, downloaded as far as it is not there yet."""
        from mlebench.data.mirror import fetch_from_mirror

        watcher.stage("download")
        return fetch_from_mirror(
            self.address,
            competition.id,
            competition.data_dir,
            on_bytes=watcher.advance,
            on_whole=note_download,
        )


def without_kaggle(error: MlebenchError) -> MlebenchError:
    """The same error; where Kaggle is out of reach, with what else can be done."""
    if isinstance(error, KaggleAuthError):
        return KaggleAuthError(
            f"{error} Without a login: download the zip in a browser and pass it with --from, or "
            "try tiny made-up data with --fixture."
        )
    if isinstance(error, UnavailableError):
        return UnavailableError(
            f"{error} A zip that you have already can be passed with --from.",
            error.retry_after,
            is_final=error.is_final,
        )
    return error


def is_address(source: Path | str) -> bool:
    """Whether somebody named a place elsewhere rather than a path."""
    return isinstance(source, str) and "://" in source


def name_of(named: Path | str) -> str:
    """A source that the user named, for messages: without what is secret in an address."""
    return FromMirror(str(named)).origin if is_address(named) else str(named)


def source_of(competition_id: str, named: str | None, *, is_only: bool) -> str | None:
    """The raw data of one competition in what the user named for all of them.

    Args:
        competition_id: The competition.
        named: A folder, a file or an address; nothing stays nothing.
        is_only: Whether there are no other competitions.

    Raises:
        ConfigError: It holds the data of one competition, and there are several.
        DataSourceError: It may not be read.
    """
    if named is None:
        return None
    if is_address(named):
        if not is_only:
            _require_several(named)
        return named
    place = expanded(named).absolute()
    require_readable(place)
    if is_only:
        # A folder of downloads; what was unpacked holds no zip of the competition's name.
        return str(zip_named(competition_id, place) or place)
    if place.is_file():
        raise ConfigError(
            f"{named} is one file: with several competitions, --from names a folder that holds "
            "<id>.zip or <id>/ for each, or a mirror."
        )
    return str(zip_named(competition_id, place) or place / competition_id)


def _require_several(address: str) -> None:
    """Refuse the address of one zip, which would be fetched for each competition."""
    from mlebench.data.mirror import is_single

    if is_single(address):
        raise ConfigError(
            f"{name_of(address)} is one zip: with several competitions, --from names a mirror that "
            "holds <id>.zip for each, or an address with {id} in the place of the competition."
        )


def choose_source(competition: Competition, named: Path | str | None) -> Source:
    """The source that the user named, else what is at hand, else Kaggle.

    What comes with the competition goes before what lies among its data.

    Raises:
        ConfigError: Preparing would replace or remove what the user named.
        UnreadableFileError: The user must not read it.
    """
    if named is not None:
        if is_address(named):
            return FromMirror(str(named))
        require_readable(Path(named))
        _require_elsewhere(Path(named), competition)
        return AtHand(Path(named))
    if competition.facts.bundled:
        return FromPackage()
    if is_usable(competition.raw_dir):
        return AtHand(competition.raw_dir)
    archive = own_zip(competition)
    return AtHand(archive) if archive else FromKaggle()


def require_readable(path: Path) -> None:
    """Refuse raw data that the user named and must not look at; what is missing is told later.

    Raises:
        UnreadableFileError: This user has no right to read them.
    """
    try:
        needed = os.R_OK | (os.X_OK if path.is_dir() else 0)
        is_readable = not path.exists() or os.access(path, needed)
    except PermissionError:
        is_readable = False
    if not is_readable:
        raise UnreadableFileError(
            f"{path} cannot be read: you have no right to. Ask for it, or name other raw data with "
            "--from."
        )


def _require_elsewhere(path: Path, competition: Competition) -> None:
    """Refuse raw data in a folder whose content goes when a preparation begins or ends."""
    place = os.path.realpath(path)  # unlike Path, it bears links in circles
    passing = (
        competition.data_dir / f"{STAGING_PREFIX}{competition.edition}",
        competition.prepared_dir,
        competition.public_dir,
        competition.private_dir,
    )
    for folder in passing:
        if Path(place).is_relative_to(os.path.realpath(folder)):
            raise ConfigError(
                f"{path} lies in {folder}, which preparing empties or fills anew. Copy it to "
                "another place first, and name that with --from."
            )
