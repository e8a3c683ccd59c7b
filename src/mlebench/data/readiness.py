"""Whether data can be graded with; where not, the command that helps, as it works here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mlebench.data.manifest import (
    find_gap,
    is_cut_off,
    is_younger,
    require_untouched,
)
from mlebench.data.remedies import prepare_command
from mlebench.errors import (
    DamagedAnswersError,
    NotPreparedError,
    UnfittingAnswersError,
    damaged_answers,
)
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command, command_for
from mlebench.settings import BUILT_IN_DIR

_is_silent: ContextVar[bool] = ContextVar("_is_silent", default=False)


@contextmanager
def without_advice() -> Iterator[None]:
    """For whoever has just prepared the data, and will throw them away."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


def require_prepared(competition: Competition, *, grading_only: bool = True) -> None:
    """Raise unless the competition can be graded and is prepared in its edition.

    Raises:
        NotPreparedError: It is not.
        DamagedAnswersError: It was, but a part of the answers has got lost.
    """
    if competition.task:
        competition.task.require_written()
    if gap := find_gap(competition, grading_only=grading_only):
        works = prepare_command(competition)
        told = _command_of_the_original(competition) or works
        also = "" if told == works else f" What works here: {works}"
        raise NotPreparedError(
            f"Dataset for competition `{competition.id}` is not prepared! Please run `{told}` to "
            f"prepare the dataset. {gap.reason}{also}"
        )
    if is_cut_off(competition):
        raise damaged_answers(competition.id, "are cut off")
    if is_younger(competition):
        require_untouched(competition)


def _command_of_the_original(competition: Competition) -> str | None:
    """What programs look for, letter by letter, where it leads to the right competition."""
    words = ("prepare", "-c", competition.id)
    is_built_in = competition.folder.parent == BUILT_IN_DIR
    leads_there = is_built_in and command_for(competition, *words) == command(*words)
    return command(*words) if leads_there else None


@contextmanager
def prepared_data(competition: Competition) -> Iterator[None]:
    """Whoever finds the answers damaged in here is told how to prepare them again."""
    try:
        yield
    except UnfittingAnswersError:
        raise  # preparing again would not mend a wrong declaration
    except DamagedAnswersError as error:
        # Without a cause, which may quote the answers.
        if _is_silent.get():
            raise
        wanted = prepare_command(competition, "--force")
        raise DamagedAnswersError(f"{error} Prepare them again: {wanted}") from None
