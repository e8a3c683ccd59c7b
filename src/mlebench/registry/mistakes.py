"""What is wrong in an author's file, and where: one sentence instead of a traceback."""

from __future__ import annotations

import errno
import inspect
import logging
import re
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from mlebench.errors import MlebenchError, TaskError

logger = logging.getLogger(__name__)

# No author's fault, wherever it comes up.
OF_THE_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE}

# The packages that competition folders are imported as.
OF_FOLDERS = "mlebench.competitions."


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


def called(folder: Path, name: str, function: object) -> str:
    """How a message speaks of an author's function: whose it is, and where."""
    code = getattr(inspect.unwrap(function) if callable(function) else None, "__code__", None)
    if code is None:
        return f"{name} of {folder.name}"
    return f"{name} of {folder.name} ({Path(code.co_filename).name}, line {code.co_firstlineno})"


def describe_mistake(folder: Path, error: BaseException) -> str:
    """What was raised, and where in an author's files."""
    place = place_in(folder, error)
    if isinstance(error, SyntaxError):
        return f"{error.msg} ({place})" if place else str(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith(OF_FOLDERS):
        module = (error.name or "").rpartition(".")[2]
        return f"there is no {module}.py beside it to import from ({place})"
    said = str(error) if isinstance(error, MlebenchError) else describe_error(error)
    return f"{said} ({place})" if place else said


def _describe_failure(folder: Path, function: str, error: BaseException) -> str:
    """The same about a function; of one that prepares, which column it missed in which table."""
    from mlebench.preparing.lacking_columns import describe_lacking_columns

    # An attribute that a table lacks may as well be a mistyped function.
    may_be_column = function == "prepare" and isinstance(error, KeyError | ValueError)
    lack = describe_lacking_columns(error) if may_be_column else None
    if lack is None:
        return f"{describe_mistake(folder, error)}."
    place = place_in(folder, error)
    return f"{lack.removesuffix('.')} ({place})." if place else lack


def describe_error(error: BaseException) -> str:
    """The kind of an error and what it says, but not in which file the module lies it names."""
    said = f"{type(error).__name__}: {error}"
    return said.removesuffix(f" ({error.path})") if isinstance(error, ImportError) else said


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
            f"{function} of {folder.name} failed: {_describe_failure(folder, function, error)} "
            "`mlebench --verbose` logs the traceback."
        ) from error


# What msgspec calls the types of YAML, in words.
IN_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "fields with values",
    "null": "left empty",
}


def describe_field(reason: str, text: str, kind: type[Any], below: Sequence[str] = ()) -> str:
    """What is wrong with a field of a YAML file, with its line and what was expected.

    Args:
        reason: What the check of types says, with the field in backticks.
        text: The content of the file.
        kind: The type that the file should have.
        below: The fields on the way to what was checked, if that is a part of the file.
    """
    said, _, place = reason.partition(" - at ")
    path = place.strip("`").removeprefix("$").removeprefix(".").removesuffix("[...]")
    at, inside = path, f" in {path}" if path else ""
    if named := re.search(r"unknown field `([^`]+)`", said):
        at = f"{path}.{named[1]}"
        said = f"there is no field {named[1]!r}{_meant(named[1], _parts(kind))}"
    elif named := re.search(r"missing required field `([^`]+)`", said):
        said = f"the required field `{named[1]}` is missing{inside}."
    elif types := re.fullmatch(r"Expected `([^`]+)`, got `([^`]+)`", said):
        expected = [_in_words(name) for name in types[1].split(" | ") if name != "null"]
        what = path or (below[-1] if below else "the file")
        said = f"{what} must be {' or '.join(expected)}, not {_in_words(types[2])}."
    elif wrong := re.fullmatch(r"Invalid enum value (.+)", said):
        choices = _choices(_steps(path)[-1], _parts(kind))
        said = f"{path} cannot be {wrong[1]}; choose one of {', '.join(choices)}."
    else:
        said = f"{said}{inside}."
    return f"{at_line(at, text, below)}{said}"


def _parts(kind: type[Any]) -> list[type[msgspec.Struct]]:
    """A type with fields, and those that its fields are made of."""
    hints = get_type_hints(kind).values()
    inside = [part for hint in hints for part in (hint, *get_args(hint))]
    structs = [
        part for part in inside if isinstance(part, type) and issubclass(part, msgspec.Struct)
    ]
    return [kind, *(part for struct in structs for part in _parts(struct))]


def _in_words(name: str) -> str:
    return IN_WORDS.get(name, name)


def _meant(field: str, kinds: Iterable[type[msgspec.Struct]]) -> str:
    import difflib

    top, *_ = kinds = list(kinds)
    for above, hint in get_type_hints(top).items():
        if any(field in getattr(part, "__struct_fields__", ()) for part in (hint, *get_args(hint))):
            return f"; it belongs below {above!r}."
    known = [name for kind in kinds for name in kind.__struct_fields__]
    alike = difflib.get_close_matches(field, known, n=1)
    return f"; did you mean {alike[0]!r}?" if alike else "."


def _choices(field: str, kinds: Iterable[type[msgspec.Struct]]) -> list[str]:
    """The words that a field may hold."""
    hints = (get_type_hints(kind).get(field) for kind in kinds)
    parts = [part for hint in hints if hint for part in (hint, *get_args(hint))]
    return [str(word) for part in parts if get_origin(part) is Literal for word in get_args(part)]


def at_line(path: str, text: str, below: Sequence[str] = ()) -> str:
    """The line of a YAML text that gives a field its value, to stand before what is wrong there.

    Args:
        path: Where the field is, such as ``known_issues[1].text``.
        text: The content of the file, which is valid YAML.
        below: The fields on the way to where the path begins, any of which may hold dots.
    """
    import yaml

    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    mark = None
    for step in (*below, *_steps(path)):
        found, node = _entry(node, step)
        mark = found or mark
    return f"line {mark.line + 1}: " if mark else ""


def _steps(path: str) -> list[str]:
    return re.findall(r"[^.\[\]]+", path)


def _entry(node: Any, step: str) -> tuple[Any, Any]:
    """Where an entry of a mapping or list begins, and its value; nothing if there is none such."""
    import yaml

    entries: list[tuple[Any, Any, Any]] = []
    if isinstance(node, yaml.MappingNode):
        entries = [(key.value, key, value) for key, value in node.value]
    elif isinstance(node, yaml.SequenceNode):
        entries = [(str(number), value, value) for number, value in enumerate(node.value)]
    found = ((key.start_mark, value) for name, key, value in reversed(entries) if name == step)
    return next(found, (None, None))
