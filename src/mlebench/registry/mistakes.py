"""What is wrong in an author's file, and where: one sentence instead of a traceback."""

from __future__ import annotations

import errno
import logging
import re
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mlebench.errors import MlebenchError, TaskError

logger = logging.getLogger(__name__)

# No author's fault, wherever it comes up.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}


def place_in(folder: Path, error: BaseException) -> str | None:
    """The file of a folder and the line in it where an error came up, if it did there."""
    home = folder.resolve()
    if isinstance(error, SyntaxError) and error.filename:
        return _place(home, error.filename, error.lineno)
    places = (
        _place(home, frame.filename, frame.lineno)
        for frame in reversed(traceback.extract_tb(error.__traceback__))
    )
    return next(filter(None, places), None)


def _place(home: Path, file: str, line: int | None) -> str | None:
    path = Path(file)
    return f"{path.name}, line {line}" if path.resolve().parent == home else None


def describe_mistake(folder: Path, error: BaseException) -> str:
    """What was raised, and where in an author's files."""
    place = place_in(folder, error)
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({place})" if place else str(error)
    said = str(error) if isinstance(error, MlebenchError) else f"{type(error).__name__}: {error}"
    return f"{said} ({place})" if place else said


@contextmanager
def told_apart(folder: Path, function: str) -> Iterator[None]:
    """Turn whatever an author's function raises into a message that names the line.

    Raises:
        TaskError: The function failed, for no fault of the machine.
    """
    try:
        yield
    except (MlebenchError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if isinstance(error, OSError) and error.errno in OF_THE_MACHINE:
            raise
        logger.debug("%s in %s failed", function, folder, exc_info=error)
        raise TaskError(
            f"{function} of {folder.name} failed: {describe_mistake(folder, error)}. "
            "`mlebench --verbose` logs the traceback."
        ) from error


def describe_field(reason: str, text: str, known: Iterable[str]) -> str:
    """What is wrong with a field of a YAML file, with its line and a guess at what was meant.

    Args:
        reason: What the check of types says, with the field in backticks.
        text: The content of the file.
        known: The names of all fields there are.
    """
    named = re.search(r"unknown field `([^`]+)`", reason)
    if named:
        import difflib

        field = named[1]
        alike = difflib.get_close_matches(field, list(known), n=1)
        said = f"there is no field {field!r}" + (f"; did you mean {alike[0]!r}?" if alike else ".")
    else:
        path = re.search(r"`\$([^`]*)`$", reason)
        field = re.split(r"[.\[]", path[1])[-1].rstrip("]") if path else ""
        said = f"{reason.partition(' - at ')[0]}" + (f" in {path[1][1:]}" if path else "") + "."
    line = _line_of(field, text) if field else None
    return f"line {line}: {said}" if line else said


def _line_of(field: str, text: str) -> int | None:
    """The first line of a YAML text that gives a field its value."""
    is_it = re.compile(rf"[\s-]*{re.escape(field)}\s*:").match
    return next((number for number, line in enumerate(text.splitlines(), 1) if is_it(line)), None)
