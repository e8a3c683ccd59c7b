"""Files that nobody would submit in earnest cost little: time and memory grow with their size."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import CHECKOUT

# Processor time of the process that reads the file, and all the memory it ever held.
MOST_SECONDS, MOST_MEGABYTES = 20.0, 700.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "100,000 boxes on one sample",
        "one name, 100,000 times, quoted",
        "no names, 100,000 times",
        "names that look repeated",
        "100,000 columns of text",
        "a name of 10 MB, twice",
        "ten million digits and a letter",
    ],
)
def test_hostile_files_are_cheap(name: str) -> None:
    benchmark = CHECKOUT / "benchmarks" / "hostile.py"
    outcome = subprocess.run(
        [sys.executable, str(benchmark), "--json", "--only", name],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    cost = json.loads(outcome.stdout.splitlines()[0])
    assert cost["file"] == name
    assert cost["seconds"] < MOST_SECONDS
    assert cost["megabytes"] < MOST_MEGABYTES
