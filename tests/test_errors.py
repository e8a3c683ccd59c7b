"""The tree of errors: what programs catch, what crosses process borders."""

from __future__ import annotations

import pickle

import pytest

from mlebench import errors
from mlebench.data.kaggle import KaggleAuthError
from mlebench.errors import (
    BusyError,
    ChecksumMismatchError,
    ConfigError,
    DataSourceError,
    GraderError,
    InvalidSubmissionError,
    MlebenchError,
    NotPreparedError,
    TaskNotWrittenError,
    UnknownCompetitionError,
)

ALL = [
    *(thing for thing in vars(errors).values() if isinstance(thing, type)),
    KaggleAuthError,
]
ALL_ERRORS = [thing for thing in ALL if issubclass(thing, MlebenchError)]


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
        (NotPreparedError, MlebenchError, 3),
        (BusyError, MlebenchError, 3),
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
