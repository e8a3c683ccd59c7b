"""Opening raw files: from where they may be, noted down, and damage told as the source's fault."""

from __future__ import annotations

import csv
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from mlebench.errors import DataSourceError, MissingRawFileError
from mlebench.preparing.bounds import require_source
from mlebench.preparing.lacking_columns import describe_lacking_columns
from mlebench.preparing.trail import note_file

DAMAGE = (
    ValueError,
    EOFError,
    struct.error,
    csv.Error,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def raw_file(source: Path | IO[bytes], kind: str) -> Iterator[None]:
    """Read a raw file in here; one that is missing or damaged is the data source's fault.

    Args:
        source: The file, or an open one inside an archive.
        kind: What it should be, such as "a csv file".

    Raises:
        DataSourceError: It is missing, damaged or of another kind, or must not be read.
    """
    where = str(source) if isinstance(source, Path) else getattr(source, "name", "a raw file")
    if isinstance(source, Path):
        require_source(where)
        note_file(where)
        require_readable(where, kind)
    try:
        yield
    except FileNotFoundError as error:
        raise lacking(where) from error
    except (IsADirectoryError, NotADirectoryError) as error:
        raise DataSourceError(f"{where} should be {kind}, but is no file.") from error
    except DAMAGE as error:
        lack = describe_lacking_columns(error, where)
        told = lack or f"{where} cannot be read as {kind}: {first_line(error)}"
        raise DataSourceError(told) from error


def require_readable(path: str, kind: str) -> None:
    """Refuse what can be read without end, or never: pipes, devices, and links to them.

    Raises:
        DataSourceError: It is no file; what is missing is told by whoever opens it.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 (they bear circles)
        raise DataSourceError(f"{path} should be {kind}, but is no file.")


def lacking(path: Path | str, kind: str = "file", note: str = "") -> MissingRawFileError:
    """The error for something that should be among the raw data."""
    return MissingRawFileError(
        f"The raw data lack the {kind} {Path(path).name} ({path}{note}).", str(path)
    )


def first_line(error: Exception) -> str:
    """What a library says, without pictures of the place where it stopped."""
    return next(iter(str(error).splitlines()), type(error).__name__).rstrip(":")
