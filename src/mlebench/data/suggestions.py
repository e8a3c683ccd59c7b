"""How to prepare what is missing or damaged, as a command that works here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from mlebench.data.manifest import has_real_data
from mlebench.data.raw import is_usable, zips_in
from mlebench.errors import (
    DamagedAnswersError,
    NotPreparedError,
    UnfittingAnswersError,
)
from mlebench.registry.competition import Competition
from mlebench.registry.suggestions import command_for


def prepare_command(competition: Competition, *options: str) -> str:
    """The command that prepares a competition: from made-up data where there are no others."""
    words = ["prepare", "-c", competition.id, *options]
    if _needs_fixture(competition):
        words.append("--fixture")
    return command_for(competition, *words)


def _needs_fixture(competition: Competition) -> bool:
    if competition.task is None:  # the original's format has none
        return False
    if is_usable(competition.raw_dir) or zips_in(competition.data_dir):
        return False
    return not has_real_data(competition)


_is_silent: ContextVar[bool] = ContextVar("_is_silent", default=False)


@contextmanager
def without_advice() -> Iterator[None]:
    """For whoever has just prepared the data, and will throw them away."""
    token = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(token)


@contextmanager
def prepared_data(competition: Competition) -> Iterator[None]:
    """Whoever finds data missing or damaged in here is told how to prepare them."""
    try:
        yield
    except NotPreparedError as error:
        wanted = prepare_command(competition)
        if f"`{wanted}`" in str(error):
            raise
        raise NotPreparedError(f"{error} What works here: {wanted}") from error
    except UnfittingAnswersError:
        raise  # preparing again would not mend a wrong declaration
    except DamagedAnswersError as error:
        # Without a cause, which may quote the answers.
        if _is_silent.get():
            raise
        wanted = prepare_command(competition, "--force")
        raise DamagedAnswersError(f"{error} Prepare them again: {wanted}") from None
