"""Sizes and times as people write them."""

from __future__ import annotations

import math
import re

from mlebench.errors import ConfigError

_SIZE = re.compile(r"(.*?)\s*((?:[kmgt]i?)?)b?", re.IGNORECASE | re.DOTALL)
_DECIMAL = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_SIZES = _DECIMAL | {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_TIME = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(d|h|min|m|s)", re.IGNORECASE)
_TIMES = {"d": 86400, "h": 3600, "min": 60, "m": 60, "s": 1}


def read_size(text: str) -> int:
    """The bytes that a text such as ``500MB``, ``10 GB`` or ``8GiB`` stands for."""
    found = _SIZE.fullmatch(text.strip())
    number, unit = found.groups() if found else (text, "")
    try:
        return int(float(number) * _SIZES[unit.lower()])
    except (ValueError, OverflowError) as error:
        raise ConfigError(f"{text!r} is no size; write it as 500MB or 10GB.") from error


def read_time(text: str) -> float:
    """The seconds that a text such as ``24h``, ``1h 30m``, ``90s``, ``600`` or ``inf`` stands for.

    Raises:
        ConfigError: It stands for none.
    """
    parts = _TIME.findall(text)
    if parts and not _TIME.sub("", text).strip():
        return float(sum(float(number) * _TIMES[unit.lower()] for number, unit in parts))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not seconds >= 0:
        raise ConfigError(f"{text!r} is no time; write it as 24h, 1h 30m, 90s, or inf for no end.")
    return seconds


def time_in_words(seconds: float) -> str:
    """A time as people say it, such as ``24 hours`` or ``1 hour 30 minutes``."""
    if math.isinf(seconds):
        return "no limit"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [
        f"{number} {unit}{'' if number == 1 else 's'}"
        for number, unit in ((hours, "hour"), (minutes, "minute"), (rest, "second"))
        if number
    ]
    return " ".join(parts) or "0 seconds"


def size_in_words(size: float) -> str:
    """A size as people write it, such as ``16 GB``."""
    unit, factor = next(
        ((name, factor) for name, factor in reversed(_DECIMAL.items()) if size >= factor), ("", 1)
    )
    return f"{size / factor:.4g} {unit.upper()}B"
