"""The content of json and jsonl files: by key where they hold objects, else as a whole."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from mlebench.data.table_content import UNNAMED, TableContent, line_of, short_digest

# A file is parsed as a whole, which takes several times its size.
LARGEST_JSON = 256 * 2**20
# With more, keys are no columns but values themselves, such as ids.
MOST_KEYS = 1000


def json_content(path: Path) -> TableContent | None:
    """The items of a list, or a single value; None if the file is too large to be parsed."""
    if path.stat().st_size > LARGEST_JSON:
        return None
    value = json.loads(path.read_bytes())
    return _content("list", value) if isinstance(value, list) else _content("value", [value])


def jsonl_content(path: Path) -> TableContent:
    """One value for each line that is not blank."""
    return _content("lines", _lines(path))


def _lines(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _content(form: str, records: Iterable[Any]) -> TableContent:
    """Digests of the values under each key, or one of everything where keys are no columns."""
    whole = hashlib.sha256()
    by_key: dict[str, Any] | None = {}
    rows = 0
    for record in records:
        is_object = isinstance(record, dict)
        for key, piece in _pieces(record, rows) if is_object else [("", line_of([rows, record]))]:
            whole.update(piece)
            if by_key is not None and is_object:
                by_key.setdefault(key, hashlib.sha256()).update(piece)
        if not is_object or len(by_key or ()) > MOST_KEYS:
            by_key = None
        rows += 1
    digests = dict(sorted((by_key or {UNNAMED: whole}).items()))
    columns = {key: short_digest(form, digest.hexdigest()) for key, digest in digests.items()}
    return TableContent(rows, columns)


def _pieces(record: dict[str, Any], row: int) -> Iterator[tuple[str, bytes]]:
    return ((key, line_of([row, key, record[key]])) for key in sorted(record))
