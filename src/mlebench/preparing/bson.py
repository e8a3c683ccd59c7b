"""BSON files: documents one after the other, most of whose bytes nobody has to look at.

A document is its length (4 bytes, little endian), its elements and a zero byte. An element is
a byte for the kind of its value, a name that ends in a zero byte, and the value. Arrays are
documents whose names are numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from mlebench.errors import DataSourceError
from mlebench.preparing.files import fresh_file
from mlebench.preparing.reading import raw_file

_DOUBLE, _TEXT, _DOCUMENT, _ARRAY, _BINARY, _BOOLEAN, _NULL = 1, 2, 3, 4, 5, 8, 10
_INT32, _INT64 = 16, 18
_NUMBERS = {_DOUBLE: "<d", _BOOLEAN: "<?", _INT32: "<i", _INT64: "<q"}

# How many bytes a value of each kind takes. The second ones begin with a length and take so
# many bytes more. Regular expressions do neither and are not understood.
_FIXED = {_DOUBLE: 8, _BOOLEAN: 1, _NULL: 0, _INT32: 4, _INT64: 8}
_FIXED |= {6: 0, 7: 12, 9: 8, 17: 8, 19: 16, 127: 0, 255: 0}
_TELLING = {_TEXT: 4, _DOCUMENT: 0, _ARRAY: 0, _BINARY: 5, 12: 16, 13: 4, 14: 4, 15: 0}

_SHORTEST = 5  # an empty document
_WINDOW = 512
_ROOM = 256  # in a window for the beginning of an element
_BUFFER = 1 << 20


def read_documents(path: Path) -> Iterator[bytes]:
    """The documents of a file as they stand there, one after the other.

    Raises:
        DataSourceError: The file is missing, damaged or of another kind.
    """
    with _opened(path, _BUFFER) as file:
        while start := file.read(4):
            length = int.from_bytes(start, "little")
            rest = file.read(max(length, _SHORTEST) - 4)
            if len(rest) != length - 4 or rest[-1]:
                raise ValueError("a document has no end")
            yield start + rest


def read_numbers(path: Path, fields: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The numbers in some fields of each document; everything else is jumped over.

    Raises:
        DataSourceError: The file is missing, damaged or of another kind, or a document has
            no such number.
    """
    with _opened(path, buffering=0) as file:
        start, end = 0, path.stat().st_size
        while start < end:
            document = _Document(partial(_read_at, file, start))
            yield document.numbers(fields)
            start += document.length
        if start > end:
            raise ValueError("a document has no end")


def without(document: bytes, field: str) -> bytes:
    """A document without one of its fields, all others byte for byte.

    Raises:
        DataSourceError: The document is damaged.
    """
    name = field.encode()
    view = _Document(lambda place: document[place : place + _WINDOW])
    try:
        found = next((element for element in view.elements() if element.name == name), None)
    except ValueError as error:
        raise DataSourceError(f"This is no BSON document: {error}.") from error
    if found is None:
        return document
    length = len(document) - (found.end - found.start)
    return struct.pack("<i", length) + document[4 : found.start] + document[found.end :]


def make_document(fields: Mapping[str, Any]) -> bytes:
    """A document of numbers, truth values, texts, bytes, and lists and mappings of them."""
    content = b"".join(_element(name, value) for name, value in fields.items())
    return struct.pack("<i", len(content) + _SHORTEST) + content + b"\0"


def write_documents(path: Path, documents: Iterable[bytes]) -> None:
    """A file with these documents."""
    with fresh_file(path).open("wb", _BUFFER) as file:
        file.writelines(documents)


def divide_documents(
    source: Path, is_held_out: Iterable[bool], train: Path, test: Path, leave_out: str
) -> None:
    """Write each document of a file into one of two others, reading it once.

    Args:
        source: The file.
        is_held_out: For each document whether it goes into ``test``, else into ``train``.
        train: Where documents go as they are.
        test: Where they go without a field.
        leave_out: That field.
    """
    with (
        fresh_file(train).open("wb", _BUFFER) as kept,
        fresh_file(test).open("wb", _BUFFER) as given,
    ):
        for document, held_out in zip(read_documents(source), is_held_out, strict=True):
            if held_out:
                given.write(without(document, leave_out))
            else:
                kept.write(document)


@contextmanager
def _opened(path: Path, buffering: int) -> Iterator[IO[bytes]]:
    with raw_file(path, "BSON"), path.open("rb", buffering) as file:
        yield file


def _read_at(file: IO[bytes], start: int, place: int) -> bytes:
    file.seek(start + place)
    return file.read(_WINDOW)


class _Element(NamedTuple):
    """Where a field begins and ends in its document, and the first bytes of its value."""

    name: bytes
    kind: int
    start: int
    end: int
    value: bytes

    @property
    def number(self) -> Any:
        if self.kind not in _NUMBERS:
            raise ValueError(f"the field {self.name.decode(errors='replace')} is no number")
        (number,) = struct.unpack(_NUMBERS[self.kind], self.value[: _FIXED[self.kind]])
        return number


class _Document:
    """A document that is looked at through a window, so that no long value is ever read.

    ``fetch`` gives a window's bytes from some place of the document on.
    """

    def __init__(self, fetch: Callable[[int], bytes]) -> None:
        self._fetch = fetch
        self._first = fetch(0)
        self.length = int.from_bytes(self._first[:4], "little", signed=True)
        if self.length < _SHORTEST:
            raise ValueError("a document is shorter than any")

    def numbers(self, fields: Sequence[str]) -> tuple[Any, ...]:
        missing, found = {name.encode() for name in fields}, {}
        for element in self.elements():
            if element.name in missing:
                missing.remove(element.name)
                found[element.name.decode()] = element.number
                if not missing:
                    return tuple(found[name] for name in fields)
        raise ValueError(f"a document lacks the field {min(missing).decode()}")

    def elements(self) -> Iterator[_Element]:
        """All fields in their order; what is inside of them stays closed."""
        window, base, start = self._first, 0, 4
        while start < self.length - 1:
            if start + _ROOM > base + len(window):
                window, base = self._fetch(start), start
            name_end = window.index(0, start - base + 1)
            kind, value = window[start - base], window[name_end + 1 : name_end + 17]
            end = base + name_end + 1 + _size(kind, value)
            if end >= self.length:
                raise ValueError("a field reaches past the end of its document")
            yield _Element(window[start - base + 1 : name_end], kind, start, end, value)
            start = end


def _size(kind: int, value: bytes) -> int:
    if kind in _FIXED:
        return _FIXED[kind]
    if kind not in _TELLING:
        raise ValueError(f"there is a field of the unknown kind {kind}")
    return int.from_bytes(value[:4], "little") + _TELLING[kind]


def _element(name: str, value: Any) -> bytes:
    kind, content = _encoded(value)
    return bytes([kind]) + name.encode() + b"\0" + content


def _encoded(value: Any) -> tuple[int, bytes]:
    """A value's kind and bytes; whole numbers take four of them where these suffice."""
    if value is None:
        return _NULL, b""
    if isinstance(value, bool):
        return _BOOLEAN, struct.pack("<?", value)
    if isinstance(value, int):
        kind = _INT32 if -(2**31) <= value < 2**31 else _INT64
        return kind, struct.pack(_NUMBERS[kind], value)
    if isinstance(value, float):
        return _DOUBLE, struct.pack("<d", value)
    if isinstance(value, str):
        text = value.encode() + b"\0"
        return _TEXT, struct.pack("<i", len(text)) + text
    if isinstance(value, bytes):
        return _BINARY, struct.pack("<iB", len(value), 0) + value
    if isinstance(value, Mapping):
        return _DOCUMENT, make_document(value)
    return _ARRAY, make_document({str(place): item for place, item in enumerate(value)})
