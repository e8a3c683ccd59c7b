"""What agents are told."""

from __future__ import annotations

import math
from pathlib import PurePosixPath

import pytest

from mlebench.runs.instructions import additional_notes, instructions
from mlebench.sandbox.layout import HOME, INSTRUCTIONS, VALIDATE_SCRIPT


@pytest.mark.parametrize("obfuscated", [False, True])
def test_places_are_those_of_the_room(obfuscated: bool) -> None:
    text = instructions(obfuscated=obfuscated)
    names = (INSTRUCTIONS, VALIDATE_SCRIPT, "data/description.md", "submission/submission.csv")
    assert all(f"{HOME}/{name}" in text for name in names)
    assert "http://localhost:5000/validate" in text
    moved = instructions(PurePosixPath("/tmp/r"), obfuscated, "http://localhost:41/")
    assert all(f"/tmp/r/{name}" in moved for name in names)
    assert f"{HOME}/" not in moved
    assert "http://localhost:41/validate" in moved


def test_the_obfuscated_variant_says_neither_kaggle_nor_competition() -> None:
    text = instructions(obfuscated=True).lower()
    assert "kaggle" not in text
    assert "competition" not in text
    assert "bench" not in text
    assert "competition" in instructions().lower()


def test_notes_tell_hardware_and_time() -> None:
    notes = additional_notes("4 CPUs", 86400 + 60)
    assert "4 CPUs" in notes
    assert "24 hours 1 minute in all" in notes
    assert "no limit of time" in additional_notes("a CPU", math.inf)
