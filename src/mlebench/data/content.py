"""Digests of what a file says, whichever library wrote it."""

from __future__ import annotations

import csv
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from mlebench.data.array_content import npy_content, parquet_content
from mlebench.data.csv_content import csv_content
from mlebench.data.json_content import json_content, jsonl_content
from mlebench.data.table_content import TableContent
from mlebench.errors import ConfigError, DataSourceError

__all__ = ["TableContent", "content_digest", "content_of", "contents_of"]

logger = logging.getLogger(__name__)

_READERS: dict[str, Callable[[Path], TableContent | None]] = {
    ".parquet": parquet_content,
    ".csv": csv_content,
    ".json": json_content,
    ".jsonl": jsonl_content,
    ".npy": npy_content,
}


def content_of(path: Path) -> TableContent | None:
    """Rows and columns of a table; None if files of this kind or size have no such digests.

    Raises:
        DataSourceError: The file is damaged.
    """
    read = _READERS.get(path.suffix)
    if read is None:
        return None
    try:
        return read(path)
    # Arrow's errors about broken files are ValueErrors.
    except (ValueError, EOFError, csv.Error, RecursionError) as error:
        raise DataSourceError(f"{path} cannot be read: {error}") from error


def content_digest(path: Path) -> str:
    """The hex digest of the content of a parquet, csv, json, jsonl or npy file.

    Raises:
        ConfigError: Files of this kind or size have no such digest.
        DataSourceError: The file is damaged.
    """
    content = content_of(path)
    if content is None:
        raise ConfigError(
            f"{path.name} cannot be compared by content; files of these kinds can, unless they "
            f"are too large: {', '.join(_READERS)}."
        )
    return content.digest


def contents_of(folder: Path, names: Iterable[str]) -> dict[str, TableContent]:
    """The contents of those files in a folder that have one; damaged ones are left out."""
    contents = {}
    for name in names:
        try:
            content = content_of(folder / name)
        except DataSourceError as error:
            # What a competition hands out need not be what its name says.
            logger.info("%s has no digest of its content. %s", name, error)
            continue
        if content is not None:
            contents[name] = content
    return contents
