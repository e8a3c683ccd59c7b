"""Sizes and times as people write them."""

from __future__ import annotations

import math

import pytest

from mlebench.errors import ConfigError
from mlebench.quantities import read_size, read_time, size_in_words, time_in_words


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("24h", 86400), ("1h 30m", 5400), ("1H30min", 5400), ("90", 90), ("1.5s", 1.5),
        ("2d", 172800), ("inf", math.inf), ("1e3", 1000),
    ],
)  # fmt: skip
def test_times(text: str, seconds: float) -> None:
    assert read_time(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-5", "nan", "1h x", "5 weeks", "h"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(ConfigError, match="is no time"):
        read_time(text)


@pytest.mark.parametrize(("text", "size"), [("16GB", 16 * 10**9), ("8 GiB", 2**33), ("5", 5)])
def test_sizes(text: str, size: int) -> None:
    assert read_size(text) == size


def test_in_words() -> None:
    assert time_in_words(5401) == "1 hour 30 minutes 1 second"
    assert time_in_words(0) == "0 seconds"
    assert time_in_words(math.inf) == "no limit"
    assert [size_in_words(size) for size in (12, 16e9, 2**30)] == ["12 B", "16 GB", "1.074 GB"]
