"""Downloads over HTTP that go on where they stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from mlebench.data.partial import Facts
from mlebench.data.patience import Patience
from mlebench.data.receiving import (
    Arrival,
    Delivery,
    Report,
    no_arrival,
    no_check,
    no_report,
    receive,
)
from mlebench.data.web import (
    MOST_OF_A_REFUSAL,
    interruption,
    new_client,
    public,
    read_up_to,
    turned_away,
    words_of,
)
from mlebench.errors import DataSourceError

if TYPE_CHECKING:
    import httpx

MOST_REDIRECTS = 20
LONGEST_NUMBER = 18  # digits; Python refuses to read thousands
_PLACE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")


@dataclass(frozen=True)
class Link:
    """An address from which a file can be fetched without a login, perhaps not for long."""

    url: str = field(repr=False)
    whose: str
    """Who hands it out, for messages."""

    @property
    def file_name(self) -> str:
        """What the file is called there; only the last part, whatever the address says."""
        name = self.shown_name
        if name in ("", "..") or "\0" in name:
            raise DataSourceError(f"{self.whose} gives the file no name that can be used.")
        return name

    @property
    def shown_name(self) -> str:
        """The same for messages, which may name what nobody could save."""
        return PurePosixPath(unquote(urlsplit(self.url).path)).name


def download(
    find_link: Callable[[], Link],
    target: Path,
    *,
    on_bytes: Report = no_report,
    on_whole: Arrival = no_arrival,
    check: Callable[[Path], str | None] = no_check,
    patience: Patience | None = None,
) -> Path:
    """Fetch a file over HTTP; under its name, it is there completely or not at all.

    Args:
        find_link: Where to fetch it; asked again when an address has expired.
        target: Where it goes.
        on_bytes: Is told now and then how many bytes there are, of how many.
        on_whole: Is told where the whole file lies before it gets its name, and this name.
        check: What is wrong with the whole file, if anything, beyond its size and sum.
        patience: How often and how long to try.

    Raises:
        DataSourceError: It cannot be had, or arrived damaged twice.
        BusyError: Another process is fetching it and does not finish.
        OSError: The disk does not take it.
    """
    patience = patience or Patience()
    with new_client(patience) as client:
        source = _Web(client, find_link, patience)
        return receive(
            source,
            target,
            on_bytes=on_bytes,
            on_whole=on_whole,
            check=check,
            patience=patience,
        )


class _Web:
    """A file behind a link; requests carry no login, whichever host they go to."""

    def __init__(
        self, client: httpx.Client, find_link: Callable[[], Link], patience: Patience
    ) -> None:
        self._client = client
        self._find_link = find_link
        self._patience = patience
        self._link: Link | None = None

    @contextmanager
    def open(self, held: Facts, offset: int) -> Iterator[Delivery]:
        """Hand the file out, from ``offset`` on if it is still the one that is held in part."""
        if offset and held.validator and held.validator.isascii():
            wanted = {"Range": f"bytes={offset}-", "If-Range": held.validator}
            with self._answer(wanted) as answer:
                if answer.status_code == 200:
                    yield Delivery(_facts(answer), 0, answer.iter_raw())
                    return
                if _continues(answer, held, offset):
                    yield Delivery(held, offset, answer.iter_raw())
                    return
        with self._answer({}) as answer:
            yield Delivery(_facts(answer), 0, answer.iter_raw())

    @contextmanager
    def _answer(self, wanted: dict[str, str]) -> Iterator[httpx.Response]:
        """An answer with a file or a part of it; an expired link is replaced once."""
        import httpx

        link = self._link = self._link or self._find_link()
        try:
            for is_renewed in (False, True):
                with self._send(link, wanted) as answer:
                    if _is_file(answer, wanted):
                        yield answer
                        return
                    said = read_up_to(answer, MOST_OF_A_REFUSAL)
                if is_renewed or not _is_expired(said):
                    raise _refusal(link, said)
                link = self._link = self._find_link()
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, UnicodeError) as error:
            raise DataSourceError(
                f"{link.whose} has an address that is none: {public(str(error))}"
            ) from error
        except httpx.TransportError as error:
            raise interruption(link.whose, error, self._patience) from error
        except httpx.HTTPError as error:
            raise DataSourceError(
                f"{link.whose} sends nothing that can be used: {public(str(error))}"
            ) from error

    @contextmanager
    def _send(self, link: Link, wanted: dict[str, str]) -> Iterator[httpx.Response]:
        """The answer at the end of all redirects, of which only the addresses are read."""
        # Compressed on the way, a file would have another size, and ranges another meaning.
        headers = {"Accept-Encoding": "identity", **wanted}
        request = self._client.build_request("GET", link.url, headers=headers)
        for _ in range(MOST_REDIRECTS):
            with closing(self._client.send(request, stream=True)) as answer:
                if answer.next_request is None:
                    yield answer
                    return
                request = answer.next_request
        raise DataSourceError(f"{link.whose} leads from one address to the next without an end.")


def _is_file(answer: httpx.Response, wanted: dict[str, str]) -> bool:
    """Whether an answer is a file, or says about the part that is wanted what can be used."""
    status = answer.status_code
    return status == 200 or (bool(wanted) and status in (206, 416))


def _refusal(link: Link, said: httpx.Response) -> DataSourceError:
    if trouble := turned_away(link.whose, said):
        return trouble
    status = said.status_code
    what = f"{public(link.shown_name)} ({status}: {words_of(said)})"
    if status in (401, 403):
        return DataSourceError(f"{link.whose} gives no access to {what}.")
    if status in (404, 410):
        return DataSourceError(f"{link.whose} does not have {what}. Check the address.")
    return DataSourceError(f"{link.whose} does not hand out {what}.")


def _facts(answer: httpx.Response) -> Facts:
    """What an answer with a whole file says about it."""
    size = answer.headers.get("Content-Length", "")
    sums = dict(part.strip().partition("=")[::2] for part in _goog_hash(answer).split(","))
    return Facts(
        validator=_validator(answer),
        size=int(size) if size.isdecimal() and len(size) <= LONGEST_NUMBER else None,
        md5=sums.get("md5"),
    )


def _validator(answer: httpx.Response) -> str | None:
    """What can be sent back to ask whether the file is still the same; other letters cannot."""
    etag = answer.headers.get("ETag", "")
    # A weak one does not promise the same bytes.
    marks = (etag if etag.startswith('"') else "", answer.headers.get("Last-Modified", ""))
    return next((mark for mark in marks if mark and mark.isascii()), None)


def _goog_hash(answer: httpx.Response) -> str:
    """The sums of a whole object; meant for what is stored, not for what is sent otherwise."""
    stored: str = answer.headers.get("x-goog-hash", "")
    return "" if "Content-Encoding" in answer.headers else stored


def _continues(answer: httpx.Response, held: Facts, offset: int) -> bool:
    """Whether a partial answer begins where the part ends, and belongs to the same file."""
    place = _PLACE.fullmatch(answer.headers.get("Content-Range", ""))
    if answer.status_code != 206 or place is None or int(place[1]) != offset:
        return False
    validators = (answer.headers.get("ETag"), answer.headers.get("Last-Modified"))
    is_same = held.validator in validators or validators == (None, None)
    return is_same and place[2] in ("*", str(held.size))


def _is_expired(said: httpx.Response) -> bool:
    return said.status_code in (400, 403) and "expired" in said.text.lower()
