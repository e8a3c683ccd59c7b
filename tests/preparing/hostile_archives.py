"""Archives that must not be unpacked, made by hand: for each kind a list of what is wrong."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import py7zr


class Hostile(NamedTuple):
    """An archive that is to be refused."""

    suffix: str
    make: Callable[[Path], None]
    member: str
    """What the message calls the member; empty where it is not about one."""
    message: str
    """What it says."""


# -- zips -----------------------------------------------------------------------------------


def entry(name: str, **fields: Any) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = name  # as it is, which the constructor does not allow
    for field, value in fields.items():
        setattr(info, field, value)
    return info


def zipped(*members: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the library warns of equal names
        archive.writestr(entry("good.txt"), b"good")
        for info, content in members:
            archive.writestr(info, content)
    return buffer.getvalue()


def zip_of(*members: tuple[zipfile.ZipInfo, bytes]) -> Callable[[Path], None]:
    return lambda path: _write(path, zipped(*members))


def patched_zip(
    change: Callable[[bytearray, int, int], None], times: int = 50
) -> Callable[[Path], None]:
    """A zip with bad.txt whose two headers, in front of it and in the directory, get changed."""

    def make(path: Path) -> None:
        info = entry("bad.txt", compress_type=zipfile.ZIP_DEFLATED)
        content = bytearray(zipped((info, b"0123456789" * times)))
        local = content.rindex(b"PK\x03\x04")
        central = content.rindex(b"PK\x01\x02")
        change(content, local, central)
        _write(path, content)

    return make


def put(form: str, value: int, local: int | None, central: int | None) -> Callable[..., None]:
    """Put a number at these places of both headers."""

    def change(content: bytearray, at_local: int, at_central: int) -> None:
        for begin, place in ((at_local, local), (at_central, central)):
            if place is not None:
                struct.pack_into(form, content, begin + place, value)

    return change


def lie_about_size(content: bytearray, local: int, central: int) -> None:
    """Declare ten bytes, with the checksum that these have."""
    put("<L", 10, 22, 24)(content, local, central)
    put("<L", zlib.crc32(b"0123456789"), 14, 16)(content, local, central)


def flip_inside(content: bytearray, local: int, central: int) -> None:
    content[local + 30 + len("bad.txt") + 3] ^= 0xFF


def not_utf8(path: Path) -> None:
    _write(path, zipped((entry("bäd.txt"), b"")).replace("bäd".encode(), b"b\xff\xffd"))


def entries_for_the_same_bytes(path: Path) -> None:
    """The directory lists one member twice, under two names of equal length."""
    content = zipped((entry("one.txt"), b"content"))
    start = content.rindex(b"PK\x01\x02")
    end = content.rindex(b"PK\x05\x06")
    again = content[start:end].replace(b"one.txt", b"bad.txt")
    content = content.replace(b"one.txt", b"bad.txt", 1)  # in front of the bytes
    tail = bytearray(content[end:])
    struct.pack_into("<HHL", tail, 8, 3, 3, len(content[:end]) + len(again) - _directory(content))
    _write(path, content[:end] + again + tail)


def entries_that_quote_others(path: Path) -> None:
    """The bytes of the first member go on through all of the second."""
    content = bytearray(zipped((entry("bad.txt"), b"b" * 40), (entry("next.txt"), b"n" * 40)))
    local, central = content.index(b"bad.txt") - 30, content.rindex(b"bad.txt") - 46
    put("<L", 100, 18, 20)(content, local, central)
    put("<L", 100, 22, 24)(content, local, central)
    _write(path, content)


def _directory(content: bytes) -> int:
    return struct.unpack_from("<L", content, content.rindex(b"PK\x05\x06") + 16)[0]


def cut(make: Callable[[Path], None], part: float) -> Callable[[Path], None]:
    def cut_off(path: Path) -> None:
        make(path)
        whole = path.read_bytes()
        _write(path, whole[: int(len(whole) * part)])

    return cut_off


LINK = 0o120777 << 16
PIPE = 0o010644 << 16
DEVICE = 0o060644 << 16
SOCKET = 0o140644 << 16
OUTSIDE = "outside its folder"

ZIPS = {
    "parent": Hostile(".zip", zip_of((entry("../evil"), b"")), "../evil", OUTSIDE),
    "parent inside": Hostile(".zip", zip_of((entry("a/../../e"), b"")), "a/../../e", OUTSIDE),
    "absolute": Hostile(".zip", zip_of((entry("/tmp/evil"), b"")), "/tmp/evil", OUTSIDE),
    "drive": Hostile(".zip", zip_of((entry("C:/evil"), b"")), "C:/evil", OUTSIDE),
    "drive \\": Hostile(".zip", zip_of((entry("C:\\evil"), b"")), "C:\\evil", OUTSIDE),
    "share": Hostile(".zip", zip_of((entry("\\\\s\\evil"), b"")), "\\\\s\\evil", OUTSIDE),
    "backslash": Hostile(".zip", zip_of((entry("a\\..\\e"), b"")), "a\\..\\e", "backslashes"),
    "folder outside": Hostile(".zip", zip_of((entry("../evil/"), b"")), "../evil/", OUTSIDE),
    "no name": Hostile(".zip", zip_of((entry(""), b"")), "without a name", "has no name"),
    "dot": Hostile(".zip", zip_of((entry("."), b"")), ".", "has no name"),
    "NUL": Hostile(".zip", zip_of((entry("bad.txt\0.png"), b"")), "bad.txt\\x00.png", "NUL"),
    "long part": Hostile(".zip", zip_of((entry("b" * 300), b"")), "bbb", "too long"),
    "long path": Hostile(".zip", zip_of((entry(f"{'b' * 200}/" * 30), b"")), "bbb", "too long"),
    "deep": Hostile(".zip", zip_of((entry("b/" * 1900 + "c"), b"")), "b/b/", "folders deep"),
    "not UTF-8": Hostile(".zip", not_utf8, "b\\xff\\xffd.txt", "not UTF-8"),
    "link": Hostile(
        ".zip", zip_of((entry("bad", external_attr=LINK), b"/etc")), "bad", "symbolic link"
    ),
    "pipe": Hostile(".zip", zip_of((entry("bad", external_attr=PIPE), b"")), "bad", "pipe"),
    "device": Hostile(".zip", zip_of((entry("bad", external_attr=DEVICE), b"")), "bad", "device"),
    "socket": Hostile(".zip", zip_of((entry("bad", external_attr=SOCKET), b"")), "bad", "neither"),
    "file, then folder": Hostile(
        ".zip", zip_of((entry("bad"), b""), (entry("bad/x"), b"")), "bad/x", "both a file"
    ),
    "folder, then file": Hostile(
        ".zip", zip_of((entry("bad/x"), b""), (entry("bad"), b"")), "bad", "both a file"
    ),
    "twice": Hostile(
        ".zip", zip_of((entry("bad"), b"one"), (entry("./bad"), b"two")), "./bad", "twice"
    ),
    "twice, longer": Hostile(
        ".zip", zip_of((entry("bad"), b"one"), (entry("bad"), b"one, two")), "bad", "twice"
    ),
    "twice, shorter": Hostile(
        ".zip", zip_of((entry("bad"), b"one, two"), (entry("bad"), b"one")), "bad", "twice"
    ),
    "encrypted": Hostile(".zip", patched_zip(put("<H", 1, 6, 8)), "bad.txt", "is encrypted"),
    "checksum": Hostile(".zip", patched_zip(put("<L", 7, 14, 16)), "bad.txt", "damaged"),
    "bits": Hostile(".zip", patched_zip(flip_inside), "bad.txt", "damaged"),
    "no header": Hostile(".zip", patched_zip(put("<L", 7, 0, None)), "bad.txt", "damaged"),
    "far away": Hostile(".zip", patched_zip(put("<L", 1 << 31, None, 42)), "", "damaged|overlaps"),
    "cut off": Hostile(".zip", cut(zip_of((entry("bad"), b"b" * 999)), 0.5), "", "again"),
    "method": Hostile(
        ".zip", patched_zip(put("<H", 9, 8, 10)), "bad.txt", r"method 9 \(Deflate64\)"
    ),
    "says less": Hostile(".zip", patched_zip(lie_about_size, 300_000), "bad.txt", "more than the"),
    "says more": Hostile(".zip", patched_zip(put("<L", 999, 22, 24)), "bad.txt", "less than the 9"),
    "the same bytes": Hostile(".zip", entries_for_the_same_bytes, "bad.txt", "overlaps"),
    "quoted bytes": Hostile(".zip", entries_that_quote_others, "bad.txt", "overlaps"),
    "says too much": Hostile(
        ".zip", patched_zip(put("<L", 0xF0000000, 22, 24)), "", "844 bytes, more than 200 times"
    ),
    "nothing of the kind": Hostile(".zip", lambda path: _write(path, b"no zip"), "", "damaged"),
}  # fmt: skip


# -- tars -----------------------------------------------------------------------------------


def header(name: str, content: bytes = b"", **fields: Any) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return header(name, type=kind, linkname=target)


def tarred(*members: tuple[tarfile.TarInfo, bytes], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **options) as archive:
        for info, content in (header("good.txt", b"good"), *members):
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def tar_of(*members: tuple[tarfile.TarInfo, bytes], **options: Any) -> Callable[[Path], None]:
    return lambda path: _write(path, tarred(*members, **options))


def tar_in_bytes(change: Callable[[bytearray], object]) -> Callable[[Path], None]:
    """A tar whose second header, at 1024, and content, at 1536, get changed."""

    def make(path: Path) -> None:
        content = bytearray(tarred(header("bad.txt", b"b" * 2000)))
        change(content)
        _write(path, content)

    return make


def put_size(size: bytes, kind: bytes = tarfile.REGTYPE) -> Callable[[bytearray], None]:
    """Another size and kind in the second header, with the checksum that belongs to them."""

    def change(content: bytearray) -> None:
        content[1024 + 124 : 1024 + 136] = size
        content[1024 + 156 : 1024 + 157] = kind
        content[1024 + 148 : 1024 + 156] = b" " * 8
        content[1024 + 148 : 1024 + 156] = b"%06o\0 " % sum(content[1024:1536])

    return change


def without_end(content: bytearray) -> None:
    del content[1536 + 2048 :]


def squeezed(pack: str, change: Callable[[bytearray], object]) -> Callable[[Path], None]:
    """The same, compressed by one of the standard library's modules and changed afterwards."""

    def make(path: Path) -> None:
        content = tarred(header("bad.txt", bytes(range(256)) * 40))
        packed = bytearray(__import__(pack).compress(content))
        change(packed)
        _write(path, packed)

    return make


def flip(place: int) -> Callable[[bytearray], None]:
    def change(content: bytearray) -> None:
        content[place] ^= 0xFF

    return change


def halve(content: bytearray) -> None:
    del content[len(content) // 2 :]


HARD = tarfile.LNKTYPE
HUGE = b"\x80" + (10 << 30).to_bytes(11, "big")
NEGATIVE = b"\xff" * 10 + b"\xfe\x00"

TARS = {
    "parent": Hostile(".tar", tar_of(header("../evil")), "../evil", OUTSIDE),
    "absolute": Hostile(".tar", tar_of(header("/tmp/evil")), "/tmp/evil", OUTSIDE),
    "backslash": Hostile(".tar", tar_of(header("..\\evil")), "..\\evil", "backslashes"),
    "no name": Hostile(".tar", tar_of(header("")), "without a name", "has no name"),
    "NUL": Hostile(
        ".tar", tar_of(header("b", pax_headers={"path": "bad\0x"})), "bad\\x00x", "NUL"
    ),
    "long part": Hostile(".tar", tar_of(header("b" * 300)), "bbb", "too long"),
    "long path": Hostile(".tar", tar_of(header(f"{'b' * 200}/" * 30)), "bbb", "too long"),
    "deep": Hostile(".tar", tar_of(header("b/" * 1900 + "c")), "b/b/", "folders deep"),
    "not UTF-8": Hostile(
        ".tar", tar_of(header("b\xe4d"), encoding="latin-1", format=tarfile.GNU_FORMAT),
        "b\\udce4d", "not UTF-8",
    ),
    "link outside": Hostile(".tar", tar_of(link("bad", "../evil")), "bad", OUTSIDE),
    "deep link outside": Hostile(".tar", tar_of(link("a/bad", "../../evil")), "a/bad", OUTSIDE),
    "absolute link": Hostile(".tar", tar_of(link("bad", "/etc/passwd")), "bad", OUTSIDE),
    "hard link outside": Hostile(".tar", tar_of(link("bad", "../evil", HARD)), "bad", OUTSIDE),
    "absolute hard link": Hostile(".tar", tar_of(link("bad", "/etc/x", HARD)), "bad", OUTSIDE),
    "link to nothing": Hostile(".tar", tar_of(link("bad", "none")), "bad", "leads to no file"),
    "link to a folder": Hostile(
        ".tar", tar_of(header("d/x"), link("bad", "d")), "bad", "leads to no file"
    ),
    "circle": Hostile(".tar", tar_of(link("bad", "b"), link("b", "bad")), "bad", "back to itself"),
    "through a link": Hostile(
        ".tar", tar_of(header("d/x"), link("bad", "d"), header("bad/y")), "bad", "no file"
    ),
    "through a link to a file": Hostile(
        ".tar", tar_of(link("bad", "good.txt"), header("bad/y")), "bad", "both a file or link"
    ),
    "over a link": Hostile(
        ".tar", tar_of(link("bad", "good.txt"), header("bad", b"new")), "bad", "twice"
    ),
    "two links": Hostile(
        ".tar", tar_of(header("x"), link("bad", "x"), link("bad", "good.txt")), "bad", "twice"
    ),
    "device": Hostile(".tar", tar_of(header("bad", type=tarfile.CHRTYPE)), "bad", "device"),
    "block device": Hostile(".tar", tar_of(header("bad", type=tarfile.BLKTYPE)), "bad", "device"),
    "pipe": Hostile(".tar", tar_of(header("bad", type=tarfile.FIFOTYPE)), "bad", "pipe"),
    "unknown kind": Hostile(".tar", tar_of(header("bad", type=b"Z")), "bad", "neither"),
    "file, then folder": Hostile(
        ".tar", tar_of(header("bad"), header("bad/x")), "bad/x", "both a file"
    ),
    "folder, then file": Hostile(
        ".tar", tar_of(header("bad/x"), header("bad")), "bad", "both a file"
    ),
    "twice": Hostile(".tar", tar_of(header("bad", b"1"), header("bad", b"2")), "bad", "twice"),
    "cut off in a member": Hostile(
        ".tar", tar_in_bytes(lambda content: content.__delitem__(slice(2000, None))),
        "bad.txt", "bytes are not there|unexpected end",
    ),
    "no end": Hostile(".tar", tar_in_bytes(without_end), "behind bad.txt", "has no end"),
    "broken header": Hostile(".tar", tar_in_bytes(flip(1030)), "behind good.txt", "broken header"),
    "negative size": Hostile(
        ".tar", tar_in_bytes(put_size(NEGATIVE)), "behind good.txt", "says -512 bytes"
    ),
    "huge name": Hostile(
        ".tar", tar_in_bytes(put_size(HUGE, tarfile.GNUTYPE_LONGNAME)), "behind good.txt",
        "says 10,737,418,240 bytes",
    ),
    "sparse": Hostile(
        ".tar", tar_in_bytes(put_size(b"00000000001\0", b"S")), "behind good.txt", "sparse"
    ),
    "gz checksum": Hostile(".tar.gz", squeezed("gzip", flip(-6)), "", "CRC"),
    "gz bits": Hostile(".tgz", squeezed("gzip", flip(40)), "", "damaged"),
    "gz cut off": Hostile(".tar.gz", squeezed("gzip", halve), "", "damaged"),
    "bz2 bits": Hostile(".tar.bz2", squeezed("bz2", flip(40)), "", "damaged"),
    "bz2 cut off": Hostile(".tar.bz2", squeezed("bz2", halve), "", "damaged"),
    "xz bits": Hostile(".tar.xz", squeezed("lzma", flip(60)), "", "damaged"),
    "xz cut off": Hostile(".tar.xz", squeezed("lzma", halve), "", "damaged"),
    "no tar inside": Hostile(
        ".tar.gz", lambda path: _write(path, gzip.compress(b"a,b\n1,2\n")), "", "damaged or no such"
    ),
}  # fmt: skip


# -- 7z -------------------------------------------------------------------------------------


def seven_zip_of(*names: str, attributes: int | None = None, **options: Any) -> Callable[..., None]:
    """A 7z whose members get these names and attributes behind the library's back."""

    def make(path: Path) -> None:
        with py7zr.SevenZipFile(path, "w", **options) as archive:
            archive.writestr(b"good", "good.txt")
            for number, name in enumerate(names):
                archive.writestr(b"content %d" % number, f"bad{number}.txt")
                file = archive.header.files_info.files[-1]
                file["filename"] = name
                if attributes is not None:
                    file["attributes"] = attributes

    return make


def changed(
    make: Callable[[Path], None], change: Callable[[bytearray], None]
) -> Callable[..., None]:
    def make_and_change(path: Path) -> None:
        make(path)
        content = bytearray(path.read_bytes())
        change(content)
        _write(path, content)

    return make_and_change


def broken_7z_checksum(path: Path) -> None:
    """Copied, not compressed, so that only the checksum tells."""
    filters = [{"id": py7zr.FILTER_COPY}]
    seven_zip_of("bad.txt", filters=filters)(path)
    _write(path, path.read_bytes().replace(b"content 0", b"contents!"))


def encrypted_7z(path: Path, *, also_names: bool = False) -> None:
    with py7zr.SevenZipFile(path, "w", password="secret", header_encryption=also_names) as archive:
        archive.writestr(b"content", "bad.txt")


UNIX = 0x8000
SEVEN_ZIPS = {
    "parent": Hostile(".7z", seven_zip_of("../evil"), "../evil", OUTSIDE),
    "parent inside": Hostile(".7z", seven_zip_of("a/../../evil"), "a/../../evil", OUTSIDE),
    "absolute": Hostile(".7z", seven_zip_of("/tmp/evil"), "/tmp/evil", OUTSIDE),
    "drive": Hostile(".7z", seven_zip_of("C:\\evil"), "C:/evil", OUTSIDE),
    "share": Hostile(".7z", seven_zip_of("\\\\s\\evil"), "//s/evil", OUTSIDE),
    "no name": Hostile(".7z", seven_zip_of(""), "without a name", "has no name"),
    "long part": Hostile(".7z", seven_zip_of("b" * 300), "bbb", "too long"),
    "link": Hostile(".7z", seven_zip_of("bad", attributes=LINK | UNIX), "bad", "symbolic link"),
    "junction": Hostile(".7z", seven_zip_of("bad", attributes=0x400), "bad", "symbolic link"),
    "pipe": Hostile(".7z", seven_zip_of("bad", attributes=PIPE | UNIX), "bad", "pipe"),
    "device": Hostile(".7z", seven_zip_of("bad", attributes=DEVICE | UNIX), "bad", "device"),
    "socket": Hostile(".7z", seven_zip_of("bad", attributes=SOCKET | UNIX), "bad", "neither"),
    "folder with content": Hostile(".7z", seven_zip_of("bad", attributes=0x10), "bad", "both"),
    "file, then folder": Hostile(".7z", seven_zip_of("bad", "bad/x"), "bad/x", "both a file"),
    "folder, then file": Hostile(".7z", seven_zip_of("bad/x", "bad"), "bad", "both a file"),
    "twice": Hostile(".7z", seven_zip_of("bad", "bad"), "bad", "twice"),
    "encrypted": Hostile(".7z", encrypted_7z, "", "is encrypted"),
    "encrypted names": Hostile(
        ".7z", lambda path: encrypted_7z(path, also_names=True), "", "is encrypted"
    ),
    "checksum": Hostile(".7z", broken_7z_checksum, "bad.txt", "checksum"),
    "bits": Hostile(".7z", changed(seven_zip_of("bad.txt"), flip(40)), ".txt", "damaged"),
    "header": Hostile(".7z", changed(seven_zip_of("bad.txt"), flip(-4)), "", "damaged"),
    "start": Hostile(".7z", changed(seven_zip_of("bad.txt"), flip(14)), "", "damaged"),
    "cut off": Hostile(".7z", cut(seven_zip_of("bad.txt"), 0.6), "", "damaged"),
    "empty": Hostile(".7z", lambda path: _write(path, b""), "", "is empty"),
}  # fmt: skip

ALL = {
    f"{kind}: {name}": hostile
    for kind, group in {"zip": ZIPS, "tar": TARS, "7z": SEVEN_ZIPS}.items()
    for name, hostile in group.items()
}


def _write(path: Path, content: bytes | bytearray) -> None:
    path.write_bytes(content)
