"""Mutations of a submission as bytes: what editors, exports and bad luck do to a file."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable

import numpy as np

ByteMutation = Callable[[bytes, np.random.Generator], bytes]


def _cut(data: bytes, rng: np.random.Generator) -> int:
    return int(rng.integers(len(data) + 1))


def flip_bits(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 3, 20]))):
        if changed:
            changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def insert_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    at = _cut(data, rng)
    pieces = [
        b"\0", b'"', b"'", b",", b"\n", b"\r", b"\r\n", b"\n\n", b" \n", b"\xff", b"\xc3", b"\x1a",
        b"\xef\xbb\xbf", b"\xed\xa0\x80", b"#", b"\\", b"\t", b";", b" ", b"\x0b", b"\x0c", b"\x1c",
        b"\xc2\x85", b"\xe2\x80\xa8", rng.bytes(8),
    ]  # fmt: skip
    return data[:at] + pieces[rng.integers(len(pieces))] + data[at:]


def delete_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    at = _cut(data, rng)
    return data[:at] + data[at + int(rng.choice([1, 2, 10, 100])) :]


def truncate(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: _cut(data, rng)]


def behead(data: bytes, rng: np.random.Generator) -> bytes:
    return data[_cut(data, rng) :]


def empty(data: bytes, rng: np.random.Generator) -> bytes:
    return [
        b"", b"\n", b" ", b"\r\n\r\n", b",", b",,\n,,\n", b'"', b'""', b"\0", codecs.BOM_UTF8,
        b"\n\n\n",
    ][rng.integers(11)]  # fmt: skip


def binary(data: bytes, rng: np.random.Generator) -> bytes:
    choices = [
        rng.bytes(500), gzip.compress(data, mtime=0), b"PK\x03\x04" + data, b"\x89PNG\r\n" + data,
        data + rng.bytes(50),
    ]  # fmt: skip
    return choices[rng.integers(len(choices))]


def recode(data: bytes, rng: np.random.Generator) -> bytes:
    text = data.decode("utf-8", "replace")
    encodings = [
        "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1", "cp1252", "utf-7",
    ]  # fmt: skip
    return text.encode(encodings[rng.integers(len(encodings))], "replace")


def latin_letters(data: bytes, rng: np.random.Generator) -> bytes:
    """Letters that are not UTF-8, or a column name that is not ASCII."""
    letter = [b"\xe9", "é".encode(), b"\x80"][rng.integers(3)]
    at = _cut(data, rng)
    return data[:at] + letter + data[at + 1 :]


def double_mark(data: bytes, rng: np.random.Generator) -> bytes:
    return codecs.BOM_UTF8 * int(rng.integers(1, 3)) + data


def line_ends(data: bytes, rng: np.random.Generator) -> bytes:
    end = [
        b"\r\n", b"\r", b"\r\r\n", b"\n\r", b"\n\n", b"\n \n", b"\n\t\n", b" \n", b"\x0b", b"\n,\n",
    ]  # fmt: skip
    return data.replace(b"\n", end[rng.integers(len(end))])


def mixed_line_ends(data: bytes, rng: np.random.Generator) -> bytes:
    ends = [b"\n", b"\r\n", b"\r", b"\n\n"]
    lines = data.split(b"\n")
    return b"".join(line + ends[rng.integers(len(ends))] for line in lines)


def final_newline(data: bytes, rng: np.random.Generator) -> bytes:
    ends = [
        b"", b"\n\n", b"\n\n\n\n", b"\r", b"\n ", b"\n,", b"\x1a", b"\0", b"\n\0", b'\n"', b",",
        b"\n\r\n",
    ]  # fmt: skip
    return data.rstrip(b"\r\n") + ends[rng.integers(len(ends))]


def blank_lines(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    blank = [b"", b" ", b"\t", b"\r", b",", b'""', b"#"][rng.integers(7)]
    for _ in range(int(rng.choice([1, 3]))):
        lines.insert(int(rng.integers(len(lines) + 1)), blank)
    return b"\n".join(lines)


def leading_lines(data: bytes, rng: np.random.Generator) -> bytes:
    lead = [
        b"\n", b"\n\n", b"\r\n", b" \n", b"# made by hand\n", b"sep=,\n", b"\0\n", b",,\n", b'"',
        b"\r",
    ]  # fmt: skip
    return lead[rng.integers(len(lead))] + data


def separators(data: bytes, rng: np.random.Generator) -> bytes:
    return data.replace(b",", [b";", b"\t", b"|", b" ", b", ", b",,", b" ,"][rng.integers(7)])


def quote_all(data: bytes, rng: np.random.Generator) -> bytes:
    """Every cell in quotes; sound only if no cell was quoted before."""
    quote = [b'"', b'"', b"'", b"`"][rng.integers(4)]
    skip = int(rng.integers(2))
    lines = data.split(b"\n")
    quoted = [
        quote + line.replace(b",", quote + b"," + quote) + quote if line else line
        for line in lines[skip:]
    ]
    return b"\n".join(lines[:skip] + quoted)


def quote_some(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    at = int(rng.integers(len(lines)))
    cells = lines[at].split(b",")
    cell = int(rng.integers(len(cells)))
    ways = [
        b'"%s"', b'"%s', b'%s"', b'"%s"x', b'x"%s"', b'""%s""', b'" %s"', b'"%s" ', b' "%s"',
        b'"%s\n"',
    ]  # fmt: skip
    cells[cell] = ways[rng.integers(len(ways))] % cells[cell]
    lines[at] = b",".join(cells)
    return b"\n".join(lines)


def repeat_file(data: bytes, rng: np.random.Generator) -> bytes:
    return data * int(rng.integers(2, 4))


def trailing_commas(data: bytes, rng: np.random.Generator) -> bytes:
    lines = data.split(b"\n")
    first = int(rng.integers(2))
    return b"\n".join(
        line + b"," if line and number >= first else line for number, line in enumerate(lines)
    )


def nulls(data: bytes, rng: np.random.Generator) -> bytes:
    at = _cut(data, rng)
    return data[:at] + b"\0" * int(rng.choice([1, 1, 2, 4096])) + data[at:]


VALID: list[ByteMutation] = [
    line_ends, mixed_line_ends, final_newline, quote_all, quote_some, blank_lines, double_mark,
]  # fmt: skip
BROKEN: list[ByteMutation] = [
    flip_bits, flip_bits, insert_bytes, insert_bytes, delete_bytes, truncate, behead, empty, binary,
    recode, latin_letters, double_mark, line_ends, mixed_line_ends, final_newline, blank_lines,
    leading_lines, separators, quote_all, quote_some, repeat_file, trailing_commas, nulls,
]  # fmt: skip
