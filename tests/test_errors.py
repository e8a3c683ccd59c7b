"""The tree of errors: what programs catch, what crosses process borders."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType

import pytest

import mlebench
from mlebench import errors
from mlebench.errors import (
    BusyError,
    CannotStartError,
    ChecksumMismatchError,
    ConfigError,
    DataSourceError,
    GraderError,
    InvalidSubmissionError,
    KaggleAuthError,
    MlebenchError,
    NoLeaderboardError,
    NotPreparedError,
    ProcessLostError,
    RulesNotAcceptedError,
    TaskNotWrittenError,
    UnavailableError,
    UnknownCompetitionError,
    UnreadableFileError,
)

ALL_ERRORS = [
    thing
    for thing in vars(errors).values()
    if isinstance(thing, type) and issubclass(thing, MlebenchError)
]


def test_every_error_is_drawn_below_its_parent() -> None:
    """The indentation of the drawing says which class each one is derived from."""
    ancestors: dict[int, str] = {}
    drawn = {}
    for line in (errors.__doc__ or "").splitlines():
        if match := re.match(r"    ([│├└─ ]*)(\w+Error)\b", line):
            depth = len(match[1]) // len("├── ")
            ancestors[depth] = match[2]
            drawn[match[2]] = ancestors.get(depth - 1, "Exception")
    assert drawn == {error.__name__: error.__bases__[0].__name__ for error in ALL_ERRORS}


def exceptions_of(package: ModuleType) -> Iterator[type[BaseException]]:
    """The exception classes that the modules of a package define."""
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if found.name.endswith(".__main__"):
            continue
        module = importlib.import_module(found.name)
        for thing in vars(module).values():
            is_class = isinstance(thing, type) and issubclass(thing, BaseException)
            if is_class and thing.__module__ == found.name:
                yield thing


def test_every_public_error_is_in_the_tree() -> None:
    public = [error for error in exceptions_of(mlebench) if not error.__name__.startswith("_")]
    assert set(public) == set(ALL_ERRORS)


@pytest.mark.parametrize("error_type", ALL_ERRORS)
def test_every_error_is_picklable(error_type: type[MlebenchError]) -> None:
    copy = pickle.loads(pickle.dumps(error_type("what to do next")))
    assert type(copy) is error_type
    assert str(copy) == "what to do next"


def test_refusal_keeps_its_details_when_pickled() -> None:
    error = InvalidSubmissionError("bad", code="not_whole", column="x", rows=[3, 5])
    copy = pickle.loads(pickle.dumps(error))
    assert copy.to_dict() == {
        "code": "not_whole",
        "message": "bad",
        "column": "x",
        "rows": [3, 5],
    }


@pytest.mark.parametrize(
    ("error_type", "built_in"),
    [
        (ChecksumMismatchError, ValueError),
        (NotPreparedError, ValueError),
        (KaggleAuthError, PermissionError),
        (RulesNotAcceptedError, RuntimeError),
        (NoLeaderboardError, FileNotFoundError),
    ],
)
def test_programs_written_for_the_original_catch_built_in_types(
    error_type: type[Exception], built_in: type[Exception]
) -> None:
    assert issubclass(error_type, built_in)


@pytest.mark.parametrize(
    ("error_type", "parent", "exit_code"),
    [
        (ConfigError, MlebenchError, 2),
        (UnknownCompetitionError, ConfigError, 2),
        (TaskNotWrittenError, ConfigError, 2),
        (DataSourceError, MlebenchError, 3),
        (ChecksumMismatchError, DataSourceError, 3),
        (KaggleAuthError, DataSourceError, 3),
        (RulesNotAcceptedError, DataSourceError, 3),
        (UnavailableError, DataSourceError, 3),
        (NoLeaderboardError, DataSourceError, 3),
        (NotPreparedError, MlebenchError, 3),
        (BusyError, MlebenchError, 3),
        (UnreadableFileError, MlebenchError, 3),
        (CannotStartError, MlebenchError, 1),
        (ProcessLostError, MlebenchError, 1),
        (InvalidSubmissionError, MlebenchError, 4),
        (GraderError, MlebenchError, 5),
    ],
)
def test_tree_and_exit_codes_are_stable(
    error_type: type[MlebenchError], parent: type, exit_code: int
) -> None:
    assert issubclass(error_type, parent)
    assert error_type.exit_code == exit_code


def test_refusal_can_be_raised_without_anything() -> None:
    error = InvalidSubmissionError()
    assert (str(error), error.code, error.column, error.rows) == (
        "The submission is invalid.",
        "invalid",
        None,
        (),
    )
