"""Raw data from a mirror: a folder of zips on a web server, in a bucket or on a disk."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mlebench.data.layout import zip_name
from mlebench.data.partial import Facts
from mlebench.data.patience import Patience
from mlebench.data.receiving import (
    Arrival,
    Delivery,
    Report,
    no_arrival,
    no_report,
    receive,
    zip_damage,
)
from mlebench.data.transfer import Link, download
from mlebench.data.web import host_of, public
from mlebench.errors import DataSourceError, UnavailableError

CHUNK_BYTES = 1 << 22
PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs"}

logger = logging.getLogger(__name__)


def fetch_from_mirror(
    url: str,
    competition_id: str,
    folder: Path,
    *,
    on_bytes: Report = no_report,
    on_whole: Arrival = no_arrival,
    patience: Patience | None = None,
) -> Path:
    """The zip of a competition from a mirror.

    Args:
        url: The folder of the zips, which are named after the competitions; or the address of
            one zip. ``{id}`` in it stands for the competition.
        competition_id: The competition.
        folder: Where the zip goes, unless it is there already.
        on_bytes: Is told now and then how many bytes there are, of how many.
        on_whole: Is told where the whole file lies before it gets its name, and this name.
        patience: How often and how long to try.

    Raises:
        DataSourceError: The mirror does not have it, or a package for such mirrors is missing.
    """
    target = folder / zip_name(competition_id)
    if target.is_file():
        logger.info("%s is there already.", target)
        return target
    address = zip_address(url, competition_id)
    if not _is_web(address):
        source = _FileSystem(address)
        return receive(
            source,
            target,
            on_bytes=on_bytes,
            on_whole=on_whole,
            check=zip_damage,
            patience=patience,
        )
    link = Link(address, f"The mirror {host_of(address)}")
    return download(
        lambda: link,
        target,
        on_bytes=on_bytes,
        on_whole=on_whole,
        check=zip_damage,
        patience=patience,
    )


def zip_address(url: str, competition_id: str) -> str:
    """Where a mirror has the zip of a competition."""
    url = url.replace("{id}", competition_id)
    if not _is_web(url):
        return url if url.endswith(".zip") else f"{url.rstrip('/')}/{zip_name(competition_id)}"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise DataSourceError(f"{public(url)} is not the address of a mirror: {error}.") from error
    if parts.path.endswith(".zip"):
        return url
    path = f"{parts.path.rstrip('/')}/{zip_name(competition_id)}"
    return urlunsplit(parts._replace(path=path))


def is_single(url: str) -> bool:
    """Whether an address is that of one zip, whatever the competition."""
    return zip_address(url, "one") == zip_address(url, "another")


def _is_web(url: str) -> bool:
    return url.lower().startswith(("http://", "https://"))


class _FileSystem:
    """A file in anything that fsspec knows, which is read piece by piece."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._shown = public(url)

    @contextmanager
    def open(self, held: Facts, offset: int) -> Iterator[Delivery]:
        """Hand the file out, from ``offset`` on if it is still the one that is held in part."""
        with self._explained():
            system, path = self._find()
            facts = _facts(system, path)
            file = system.open(path, "rb")
        with file:
            start = offset if facts == held else 0
            yield Delivery(facts, start, self._read(file, start))

    def _find(self) -> tuple[Any, str]:
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise DataSourceError(
                f"Mirrors such as {self._shown} need fsspec: pip install 'mlebench[mirror]'"
            ) from error
        try:
            system, path = url_to_fs(self._url)
        except ImportError as error:
            scheme = self._url.partition("://")[0]
            package = PACKAGES.get(scheme, f"the package for {scheme}")
            raise DataSourceError(
                f"The mirror {self._shown} needs a package that is not installed ({_told(error)}): "
                f"pip install {package}"
            ) from error
        return system, path

    def _read(self, file: Any, start: int) -> Iterator[bytes]:
        with self._explained():
            file.seek(start)
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what the trouble of a library means for the mirror."""
        try:
            yield
        except (DataSourceError, GeneratorExit):
            raise
        except FileNotFoundError as error:
            raise DataSourceError(
                f"The mirror does not have {self._shown}. Check the address."
            ) from error
        except PermissionError as error:
            raise DataSourceError(
                f"The mirror gives no access to {self._shown}: {_told(error)}. Log in as the "
                "tools of that storage want it, or ask whoever keeps the mirror."
            ) from error
        except OSError as error:
            raise UnavailableError(f"{self._shown} cannot be read: {_told(error)}.") from error
        except Exception as error:  # each storage has a library with errors of its own
            raise DataSourceError(
                f"{self._shown} cannot be read ({type(error).__name__}: {_told(error)}). Check "
                "address and login."
            ) from error


def _facts(system: Any, path: str) -> Facts:
    told = system.info(path)
    return Facts(validator=str(system.ukey(path)), size=told.get("size"), md5=told.get("md5Hash"))


def _told(error: Exception) -> str:
    """What a library says, without what may be secret in the addresses it quotes."""
    return public(str(error))
