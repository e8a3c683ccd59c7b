"""TFRecord files and the ``tf.train.Example`` messages in them, without TensorFlow.

A file is a chain of records: the payload's length (8 bytes, little endian), a checksum of
the length, the payload, a checksum of the payload. A payload is a protocol buffer that
maps feature names to lists of bytes, floats or whole numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from mlebench.errors import DataSourceError
from mlebench.preparing.files import fresh_file, place
from mlebench.preparing.reading import raw_file

Values = list[bytes] | list[float] | list[int]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_BYTES_LIST, _FLOAT_LIST, _INT64_LIST = 1, 2, 3
_WORD = (1 << 64) - 1


def read_records(path: Path, *, verify: bool = False) -> Iterator[bytes]:
    """The payloads of a file, one after the other.

    The checksums of the lengths are always compared, which catches a file that is no
    TFRecord. Those of the payloads only on request: in plain Python they take about a
    second for ten megabytes, and the archives the files come from have their own.

    Raises:
        DataSourceError: The file is damaged or of another kind.
    """
    with raw_file(path, "a TFRecord file"), path.open("rb") as file:
        while header := file.read(12):
            if len(header) < 12 or _unpack(header[8:]) != masked_crc(header[:8]):
                raise DataSourceError(f"{path} is not a TFRecord file, or a damaged one.")
            (length,) = struct.unpack("<Q", header[:8])
            payload, checksum = file.read(length), file.read(4)
            if len(payload) < length or len(checksum) < 4:
                raise DataSourceError(f"{path} ends in the middle of a record.")
            if verify and _unpack(checksum) != masked_crc(payload):
                raise DataSourceError(f"{path} has a damaged record.")
            yield payload


def write_records(path: Path, payloads: Iterable[bytes]) -> None:
    """A file with these payloads."""
    with fresh_file(path).open("wb") as file:
        for payload in payloads:
            length = struct.pack("<Q", len(payload))
            file.write(length + struct.pack("<I", masked_crc(length)))
            file.write(payload)
            file.write(struct.pack("<I", masked_crc(payload)))


def read_examples(path: Path) -> Iterator[dict[str, Values]]:
    """The features of every record in a file."""
    for payload in read_records(path):
        try:
            yield parse_example(payload)
        except (ValueError, IndexError, struct.error) as error:
            raise DataSourceError(f"{path} has a record that is no tf.train.Example.") from error


def parse_example(payload: bytes) -> dict[str, Values]:
    """The features of a ``tf.train.Example``."""
    features: dict[str, Values] = {}
    for _, message in _fields(memoryview(payload)):
        for _, entry in _fields(_bytes(message)):
            parts = dict(_fields(_bytes(entry)))
            features[bytes(_bytes(parts[1])).decode()] = _values(_bytes(parts.get(2, b"")))
    return features


def make_example(features: Mapping[str, bytes | int | float]) -> bytes:
    """A ``tf.train.Example`` with one value a feature."""
    entries = (
        _delimited(1, _delimited(1, name.encode()) + _delimited(2, _feature(value)))
        for name, value in features.items()
    )
    return _delimited(1, b"".join(entries))


def names_in(shards: Iterable[Path], feature: str = "image_name") -> set[str]:
    """The texts of a feature in all records of some files."""
    names = set()
    for shard in shards:
        for example in read_examples(shard):
            (name,) = example[feature]
            if not isinstance(name, bytes):
                raise DataSourceError(f"{shard} has a record whose {feature} is no text.")
            names.add(name.decode())
    return names


def place_shards(
    shards: Iterable[Path], folder: Path, prefix: str, only: Collection[str] | None = None
) -> None:
    """Place files as ``<prefix>00-<count>.tfrec`` and so on, the count as in their old names.

    ``only`` names the features that the records keep, where they must lose others.
    """
    for number, shard in enumerate(shards):
        count = shard.stem.partition("-")[2]
        target = folder / f"{prefix}{number:02d}-{count}.tfrec"
        if only is None:
            place(shard, target)
        else:
            write_records(target, (_with_only(record, only) for record in read_records(shard)))


def _with_only(payload: bytes, features: Collection[str]) -> bytes:
    """A ``tf.train.Example`` with some of its features, byte for byte as they were."""
    entries = []
    for _, message in _fields(payload):
        for number, entry in _fields(_bytes(message)):
            name = bytes(_bytes(dict(_fields(_bytes(entry)))[1])).decode()
            if name in features:
                entries.append(_delimited(number, bytes(_bytes(entry))))
    return _delimited(1, b"".join(entries))


def masked_crc(data: bytes) -> int:
    """The CRC-32C of some bytes, rotated and shifted as the format wants it."""
    crc, table = 0xFFFFFFFF, _crc_table()
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


@cache
def _crc_table() -> tuple[int, ...]:
    """The contribution of each byte, for Castagnoli's polynomial in reversed bit order."""
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


def _unpack(checksum: bytes) -> int:
    return int.from_bytes(checksum, "little")


def _fields(message: memoryview | bytes) -> Iterator[tuple[int, memoryview | int]]:
    """Number and raw value of each field of a message, in order."""
    view, position = memoryview(message), 0
    while position < len(view):
        tag, position = _varint(view, position)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, position = _varint(view, position)
            yield number, value
            continue
        if kind == _BYTES:
            length, position = _varint(view, position)
        elif kind in (_FIXED32, _FIXED64):
            length = 4 if kind == _FIXED32 else 8
        else:
            raise ValueError(f"unknown field type {kind}")
        if position + length > len(view):
            raise ValueError("a field reaches past the end of its message")
        yield number, view[position : position + length]
        position += length


def _varint(view: memoryview, position: int) -> tuple[int, int]:
    """A number of variable length, and the position after it."""
    value = shift = 0
    while True:
        byte = view[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position


def _bytes(value: memoryview | bytes | int) -> memoryview:
    if isinstance(value, int):
        raise ValueError("expected a message or text, found a number")
    return memoryview(value)


def _values(feature: memoryview) -> Values:
    """The list in a feature; numbers may be packed together or stand one by one."""
    for kind, content in _fields(feature):
        items = [value for _, value in _fields(_bytes(content))]
        if kind == _BYTES_LIST:
            return [bytes(_bytes(item)) for item in items]
        if kind == _FLOAT_LIST:
            return [
                number for item in items for (number,) in struct.iter_unpack("<f", _bytes(item))
            ]
        if kind == _INT64_LIST:
            return [_signed(number) for item in items for number in _packed(item)]
    return []


def _packed(item: memoryview | int) -> Iterator[int]:
    if isinstance(item, int):
        yield item
        return
    position = 0
    while position < len(item):
        number, position = _varint(item, position)
        yield number


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _feature(value: bytes | float) -> bytes:
    if isinstance(value, bytes):
        return _delimited(_BYTES_LIST, _delimited(1, value))
    if isinstance(value, int):
        return _delimited(_INT64_LIST, _delimited(1, _encode_varint(value & _WORD)))
    return _delimited(_FLOAT_LIST, _delimited(1, struct.pack("<f", value)))


def _delimited(number: int, content: bytes) -> bytes:
    return _encode_varint(number << 3 | _BYTES) + _encode_varint(len(content)) + content


def _encode_varint(value: int) -> bytes:
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
