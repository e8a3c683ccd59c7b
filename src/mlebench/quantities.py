"""Sizes and times as people write them."""

from __future__ import annotations

import re

from mlebench.errors import ConfigError

_SIZE = re.compile(r"(.*?)\s*((?:[kmgt]i?)?)b?", re.IGNORECASE | re.DOTALL)
_SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12} | {
    "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40,
}  # fmt: skip
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
