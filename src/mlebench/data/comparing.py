"""Telling people what differs between a table here and the one that is published or recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mlebench.data.checksums import PublishedContent
from mlebench.data.content import TableContent, content_of
from mlebench.data.encodings import LINE_ENDS, TEXT_SUFFIXES, changed_encoding
from mlebench.data.table_content import UNNAMED
from mlebench.errors import DataSourceError
from mlebench.printable import printable

LISTED_NAMES = 5


def file_difference(
    path: Path, name: str, md5: str | None, content: PublishedContent | None = None
) -> str:
    """A sentence about a file that is not as it should be.

    Args:
        path: The file, which may be missing.
        name: What people call it, such as ``public/train.csv``.
        md5: The sum it should have, if that is known.
        content: What it should hold, if that is known. Where nothing is known, there should be
            no such file.
    """
    if not path.is_file():
        return f"{name} is missing."
    if md5 is None and content is None:
        return f"{name} should not be there."
    try:
        here = content_of(path)
    except DataSourceError as error:
        return f"{name} is damaged: {error}"
    if here is not None and isinstance(content, TableContent):
        return f"{name}: {content_difference(here, content)}."
    if here is not None and content is not None:
        told = "only its encoding differs" if here.digest == content else "what it holds differs"
    else:
        told = _bytes_difference(path, md5)
    return f"{name}: {told}{_size(here)}."


def content_difference(here: TableContent, there: TableContent) -> str:
    """What differs in a table here from the one there, as the end of a sentence."""
    if here == there:
        return "only its encoding differs"
    missing = [name for name in there.columns if name not in here.columns]
    added = [name for name in here.columns if name not in there.columns]
    common = [name for name in there.columns if name in here.columns]
    told = []
    if missing:
        told.append(f"{_word(missing)} missing: {_listed(missing)}")
    if added:
        told.append(f"{_word(added)} too many: {_listed(added)}")
    if [name for name in here.columns if name in there.columns] != common:
        told.append("its columns stand in another order")
    if here.rows != there.rows:  # which changes the digests of all columns
        told.append(_rows_difference(here.rows - there.rows))
    elif others := [name for name in common if here.columns[name] != there.columns[name]]:
        told.append(_values_difference(others))
    return "; ".join(told)


def _rows_difference(surplus: int) -> str:
    return f"{_counted(abs(surplus), 'row')} {'more' if surplus > 0 else 'fewer'}"


def _values_difference(names: Sequence[str]) -> str:
    if [*names] == [UNNAMED]:
        return "its values differ"
    return f"{_word(names)} {_listed(names)} {'differ' if names[1:] else 'differs'}"


def _bytes_difference(path: Path, md5: str | None) -> str:
    if md5 is None or path.suffix not in TEXT_SUFFIXES:
        return "its bytes differ"
    changes = changed_encoding(path, md5)
    if not changes:
        return "its content is other than what was published"
    is_singular = len(changes) == 1 and changes != [LINE_ENDS]
    return f"only {' and '.join(changes)} {'differs' if is_singular else 'differ'}"


def _size(content: TableContent | None) -> str:
    if content is None:
        return ""
    rows, columns = _counted(content.rows, "row"), _counted(len(content.columns), "column")
    return f"; it has {rows} and {columns} here"


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _word(names: Sequence[str]) -> str:
    return "columns" if names[1:] else "column"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{printable(name)}`" for name in names[:LISTED_NAMES])
    more = len(names) - LISTED_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown
