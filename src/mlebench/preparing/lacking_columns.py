"""Columns that a raw table turns out not to have: which, in which file, and what it has instead.

The library that misses them says so in a dozen ways, none of which names a file.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from mlebench.preparing.trail import tables_read

if TYPE_CHECKING:
    from types import FrameType

    import pandas as pd

NAMED = 8  # columns in a message; there may be thousands
LONGEST_NAME = 60

_ABOUT_COLUMNS = re.compile(
    r"not in index$|not found in axis$|(?:are|is) in the \[?columns\]?$|found in columns"
    r"|not present in the DataFrame|not columns of the DataFrame"
    r"|columns expected but not found|Missing column provided to"
)
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"")
_UNFIT_FOR_MERGING = re.compile(r"trying to merge on (\S+) and (\S+) columns for key '(.+?)'")
_ABOUT_ROWS = re.compile(r"(?:are|is) in the \[index\]$")


class _Lack(NamedTuple):
    wanted: list[str]
    there: list[str] | None
    """What the table has, if that is known."""


def describe_lacking_columns(error: BaseException | None, file: str | None = None) -> str | None:
    """A sentence about the columns for lack of which something failed; None if it was not that.

    Args:
        error: What a function that prepares tables, or one that reads them, has raised.
        file: The file that was being read; by default, that is found out.
    """
    if isinstance(error, ValueError) and (unfit := _UNFIT_FOR_MERGING.search(str(error))):
        return f"The column {unfit[3]!r} holds numbers in one table and texts in another."
    if isinstance(error, KeyError) and _is_about_rows(error):
        rows = _quoted(_sentence(error))
        return f"A table lacks the rows {_listed(map(repr, rows))}." if rows else None
    lack = _lack(error)
    if lack is None or not lack.wanted:
        return None
    file, there = (file, lack.there) if file else _file_of(lack)
    noun = "the column" if len(lack.wanted) == 1 else "the columns"
    has = f"; it has {_listed(there)}" if there else ""
    lacks = f"{file or 'A table'} lacks {noun} {_listed(map(repr, lack.wanted))}{has}."
    alike = _alike(lack.wanted, there or ())
    return f"{lacks} Did you mean {_listed(map(repr, alike))}?" if alike else lacks


def _alike(wanted: Iterable[str], there: Sequence[str]) -> list[str]:
    """What is there in the place of misspelt columns, which many others may hide in a message."""
    found = (difflib.get_close_matches(name, there, n=1) for name in wanted)
    return [*dict.fromkeys(name for names in found for name in names)]


def _lack(error: BaseException | None) -> _Lack | None:
    match error:
        case AttributeError(name=str(name)) if _is_table(error.obj):
            return _Lack([name], _names(error.obj.columns))
        case KeyError(args=(key,)):
            return _lack_of_key(error, key)
        case ValueError() if _ABOUT_COLUMNS.search(str(error)):
            there = next(_headers(error), None)
            return _without_present(_quoted(_sentence(error)), there)
    return None


def _lack_of_key(error: BaseException, key: object) -> _Lack | None:
    tables = [*_asked_tables(error)]
    is_sentence = isinstance(key, str) and bool(_ABOUT_COLUMNS.search(key))
    name, table = tables[-1] if tables else ("", None)
    if not is_sentence and (table is None or name == "xs"):
        return None  # of a dictionary, or a row
    if is_sentence:
        wanted = _quoted(_sentence(error))
    elif isinstance(key, str | int):
        wanted = [str(key)]
    else:
        wanted = _names(key) if isinstance(key, Iterable) else []
    return _without_present(wanted, None if table is None else _names(table.columns))


def _without_present(wanted: Sequence[str], there: list[str] | None) -> _Lack:
    return _Lack([name for name in wanted if name not in (there or ())], there)


def _is_about_rows(error: KeyError) -> bool:
    axes = [frame.f_locals.get("axis_name") for frame in _frames(error)]
    return "index" in axes or bool(_ABOUT_ROWS.search(str(error.args[0]) if error.args else ""))


def _sentence(error: BaseException) -> str:
    """The part of a message in which the names are."""
    told = str(error.args[0]).partition(", dtype=")[0]
    return told.rpartition(": ")[2]


def _quoted(sentence: str) -> list[str]:
    return [first or second for first, second in _QUOTED.findall(sentence)]


def _frames(error: BaseException) -> Iterator[FrameType]:
    step = error.__traceback__
    while step:
        yield step.tb_frame
        step = step.tb_next


def _asked_tables(error: BaseException) -> Iterator[tuple[str, Any]]:
    """The tables on the way to an error, with the names of their functions that were at work."""
    for frame in _frames(error):
        asked: Any = frame.f_locals.get("self")
        is_indexer = type(asked).__name__.endswith("Indexer")  # ``.loc``, which others do not name
        table = asked.obj if is_indexer and hasattr(asked, "obj") else asked
        if _is_table(table):
            yield frame.f_code.co_name, table


def _headers(error: BaseException) -> Iterator[list[str]]:
    """The columns of a file that was just being read."""
    for frame in _frames(error):
        if frame.f_code.co_name.lstrip("_").startswith("validate_"):
            known = frame.f_locals
            found = known.get("names") or known.get("columns")
            if isinstance(found, Sequence) and not isinstance(found, str):
                yield _names(found)


def _is_table(value: object) -> TypeGuard[pd.DataFrame]:
    from pandas import DataFrame

    return isinstance(value, DataFrame)


def _file_of(lack: _Lack) -> tuple[str | None, Sequence[str] | None]:
    """The file that a table came from, if there is no doubt, and what it has."""
    read = tables_read()
    if lack.there is not None:
        same = [path for path, columns in read.items() if [*columns] == lack.there]
        return (same[0] if len(same) == 1 else None), lack.there
    short = [path for path, columns in read.items() if not {*lack.wanted} & {*columns}]
    return (short[0], read[short[0]]) if len(short) == len(read) == 1 else (None, None)


def _names(columns: Iterable[object]) -> list[str]:
    return [str(name) for name in columns]


def _listed(names: Iterable[str]) -> str:
    shown = [" ".join(name.split())[:LONGEST_NAME] for name in names]
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more
