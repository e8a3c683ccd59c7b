"""The pixels of DICOM files whose pixel data are as they are, or a JPEG."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONG = (b"OB", b"OW", b"OF", b"OD", b"OL", b"SQ", b"UT", b"UN", b"UC", b"UR")
IMPLICIT, DEFLATED = "1.2.840.10008.1.2", "1.2.840.10008.1.2.1.99"
ROWS, COLUMNS, SAMPLES = (0x28, 0x10), (0x28, 0x11), (0x28, 0x02)
BITS, IS_SIGNED, LIGHT, PIXELS = (0x28, 0x100), (0x28, 0x103), (0x28, 0x04), (0x7FE0, 0x10)
SYNTAX = (0x02, 0x10)
UNKNOWN_LENGTH = 0xFFFFFFFF
Tag = tuple[int, int]


def pixels_of(content: bytes) -> NDArray[np.float32]:
    """The first picture of a file as grey values, light ones large.

    Raises:
        ValueError: Its pixels cannot be read.
    """
    told: dict[Tag, bytes] = {}
    for tag, value in _elements(content):
        told[tag] = value
        if tag == PIXELS:
            break
    if PIXELS not in told or ROWS not in told or COLUMNS not in told:
        raise ValueError("there are no pixels")
    pixels = _decoded(told)
    if told.get(LIGHT, b"").strip(b" \0") == b"MONOCHROME1":
        pixels = pixels.max() - pixels
    return pixels


def _elements(content: bytes) -> Iterator[tuple[Tag, bytes]]:
    """The elements of the file; those inside others are passed over."""
    place, syntax = 132, ""
    while place + 8 <= len(content):
        group, element = struct.unpack_from("<HH", content, place)
        kind = content[place + 4 : place + 6]
        if group != 2 and syntax == IMPLICIT:
            (length,) = struct.unpack_from("<I", content, place + 4)
            place += 8
        elif kind in LONG:
            (length,) = struct.unpack_from("<I", content, place + 8)
            place += 12
        else:
            (length,) = struct.unpack_from("<H", content, place + 6)
            place += 8
        if length == UNKNOWN_LENGTH:
            if (group, element) != PIXELS:
                continue  # what is inside is read as if it were beside
            yield PIXELS, _fragment(content, place)
            return
        value = content[place : place + length]
        place += length
        if (group, element) == SYNTAX:
            syntax = value.rstrip(b"\0 ").decode("ascii", errors="replace")
            if syntax == DEFLATED:
                raise ValueError("the whole file is packed")
        yield (group, element), value


def _fragment(content: bytes, place: int) -> bytes:
    """The first picture of pixel data that are packed."""
    parts = []
    while place + 8 <= len(content):
        group, element, length = struct.unpack_from("<HHI", content, place)
        if (group, element) != (0xFFFE, 0xE000):
            break
        parts.append(content[place + 8 : place + 8 + length])
        place += 8 + length
    return b"".join(parts[1:])


def _decoded(told: dict[Tag, bytes]) -> NDArray[np.float32]:
    rows, columns = _whole(told[ROWS]), _whole(told[COLUMNS])
    samples = _whole(told.get(SAMPLES, b"\1\0"))
    bits, is_signed = _whole(told.get(BITS, b"\x10\0")), _whole(told.get(IS_SIGNED, b"\0\0"))
    size = rows * columns * samples
    kind = np.dtype(f"<{'i' if is_signed else 'u'}{max(bits // 8, 1)}")
    values: NDArray[Any]
    if len(told[PIXELS]) < size * kind.itemsize:
        from PIL import Image

        values = np.asarray(Image.open(io.BytesIO(told[PIXELS])))
    else:
        values = np.frombuffer(told[PIXELS], kind, size).reshape(rows, columns, samples)
    grey = values.reshape(values.shape[0], values.shape[1], -1).mean(axis=2)
    return np.asarray(grey, dtype=np.float32)


def _whole(value: bytes) -> int:
    return int.from_bytes(value[:2], "little")
