"""Whether an author's functions can be called as they will be, and return what they should."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from numbers import Real
from typing import Any

from mlebench.errors import ConfigError, GraderError

PREPARE_PARAMETERS = ("raw", "public", "private")
SCORE_PARAMETERS = ("truth", "predicted")
FURTHER_SCORE_PARAMETERS = ("rows", "answers")
FIXTURE_PARAMETERS = ("raw",)


def check_prepare(function: Callable[..., Any], where: str) -> None:
    """Refuse a prepare function that cannot be called with raw, public and private alone."""
    parameters = _parameters(function, where, PREPARE_PARAMETERS)
    count = len(PREPARE_PARAMETERS)
    found = tuple(parameter.name for parameter in parameters)
    by_name = all(parameter.kind is not Parameter.POSITIONAL_ONLY for parameter in parameters)
    if found[:count] != PREPARE_PARAMETERS or _needed(parameters[count:]):
        raise _refusal(where, PREPARE_PARAMETERS, found)
    if not by_name:
        raise ConfigError(f"{where} gets its parameters by name: remove the / behind them.")


def check_score(function: Callable[..., Any], where: str) -> None:
    """Refuse a score function that takes something else, or the two tables the other way round."""
    parameters = _parameters(function, where, SCORE_PARAMETERS)
    _require_positional(parameters, where, SCORE_PARAMETERS)
    found = tuple(parameter.name for parameter in parameters)
    truth, predicted = SCORE_PARAMETERS
    is_swapped = found[:1] == (predicted,) or found[1:2] == (truth,)
    others = [one for one in parameters[2:] if one.name not in FURTHER_SCORE_PARAMETERS]
    if not _takes(parameters, 2) or is_swapped or _needed(others):
        raise _refusal(where, SCORE_PARAMETERS, found)


def check_fixture(function: Callable[..., Any], where: str) -> None:
    """Refuse a fixture function that cannot be called with a folder alone."""
    parameters = _parameters(function, where, FIXTURE_PARAMETERS)
    _require_positional(parameters, where, FIXTURE_PARAMETERS)
    if not _takes(parameters, 1) or _needed(parameters[1:]):
        found = tuple(parameter.name for parameter in parameters)
        raise _refusal(where, FIXTURE_PARAMETERS, found)


def as_score(returned: Any, where: str) -> float:
    """What a score function returned, if it is a number.

    Raises:
        GraderError: It is none; what it is instead is told, but not what it holds.
    """
    if isinstance(returned, Real):
        try:
            return float(returned)
        except OverflowError:
            raise GraderError(f"{where} returned a number too large for a float.") from None
    if returned is None:
        raise GraderError(f"{where} returned nothing instead of a number; is a `return` missing?")
    raise GraderError(f"{where} must return a number; it returned a {type(returned).__name__}.")


def _parameters(
    function: Callable[..., Any], where: str, wanted: tuple[str, ...]
) -> list[Parameter]:
    try:
        return list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:  # such as some of Python's own functions
        raise ConfigError(
            f"{where} does not tell its parameters; write a function with the parameters "
            f"{', '.join(wanted)} that calls it."
        ) from error


def _require_positional(parameters: list[Parameter], where: str, wanted: tuple[str, ...]) -> None:
    """Refuse what has the right names, but takes them by name alone."""
    by_name = {one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY}
    if by_name.intersection(wanted):
        raise ConfigError(
            f"{where} must take the parameters {', '.join(wanted)} by position, not by name alone: "
            "remove the * before them."
        )


def _takes(parameters: list[Parameter], count: int) -> bool:
    """Whether so many arguments can be given without their names."""
    if any(parameter.kind is Parameter.VAR_POSITIONAL for parameter in parameters):
        return True
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return sum(parameter.kind in positional for parameter in parameters) >= count


def _needed(parameters: list[Parameter]) -> bool:
    """Whether one of these parameters has to be given."""
    variable = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return any(
        parameter.default is Parameter.empty and parameter.kind not in variable
        for parameter in parameters
    )


def _refusal(where: str, wanted: tuple[str, ...], found: tuple[str, ...]) -> ConfigError:
    noun, order = ("parameter", "") if len(wanted) == 1 else ("parameters", ", in this order")
    return ConfigError(
        f"{where} must take the {noun} {', '.join(wanted)}{order}; further ones need defaults. "
        f"It takes {', '.join(found) or 'none'}."
    )
