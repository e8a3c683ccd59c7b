"""A submission where there is no sample: the rows to predict, as they are given."""

from __future__ import annotations

import zipfile
from pathlib import Path

from ..packing import bounded, opened
from ..surface import is_plain_file

SUFFIXES = (".csv", ".txt", ".tsv")
PACKED = (".zip", ".gz")
COMMA = b","


def made_sample(data: Path, memory: int) -> bytes | None:
    """The rows to predict with what is known of them; None if there is no table of them.

    Raises:
        TooLargeError: They do not fit into so many bytes.
    """
    for path in sorted(data.iterdir()):
        name = path.name.lower()
        for packed in PACKED:
            name = name.removesuffix(packed)
        if "test" in name and name.endswith(SUFFIXES) and is_plain_file(path, data):
            content = _content(path, memory)
            head = content[: content.find(b"\n")]
            if head.count(COMMA) >= 1:
                return content
    return None


def _content(path: Path, memory: int) -> bytes:
    if path.suffix.lower() != ".zip":
        with opened(path, memory) as file:
            return file.read()
    with zipfile.ZipFile(path) as archive:
        name = next(name for name in archive.namelist() if name.lower().endswith(SUFFIXES))
        with bounded(archive.open(name), path, memory) as file:
            return file.read()
