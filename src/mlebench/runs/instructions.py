"""What an agent is told: the rules of the benchmark, and the conditions of its run."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path, PurePath

from mlebench.quantities import time_in_words
from mlebench.sandbox.layout import (
    HOME,
    INSTRUCTIONS,
    OBFUSCATED_INSTRUCTIONS,
    VALIDATION_PORT,
)

TEXTS_DIR = Path(__file__).parent / "texts"
USUAL_URL = f"http://localhost:{VALIDATION_PORT}"


def instructions(
    home: PurePath = HOME, obfuscated: bool = False, validation_url: str = USUAL_URL
) -> str:
    """The instructions for a room.

    Args:
        home: Where the room's places are; elsewhere than usual in rooms without walls.
        obfuscated: The variant that says neither Kaggle nor competition.
        validation_url: Where the validation service is, without its path.
    """
    text = _text(OBFUSCATED_INSTRUCTIONS if obfuscated else INSTRUCTIONS)
    return text.replace(f"{HOME}/", f"{home}/").replace(USUAL_URL, validation_url.rstrip("/"))


def additional_notes(hardware: str, time_limit: float) -> str:
    """What a run adds to the instructions.

    Args:
        hardware: What there is to compute with, such as ``4 CPUs and one A10 GPU``.
        time_limit: Seconds for the whole run; infinite for no limit.
    """
    if math.isfinite(time_limit):
        time = (
            f"- You have {time_in_words(time_limit)} in all. The clock is running already, and it "
            "does not stop while\n  code runs; keep an eye on what is left, and write a submission "
            "well before the end.\n"
        )
    else:
        time = "- There is no limit of time.\n"
    return (
        "ADDITIONAL NOTES\n"
        f"- You have {hardware} to compute with.\n"
        f"{time}"
        "- Use the time that you have: go on improving and validating your submission until it is "
        "over.\n"
        "- What lies at the place of the submission at the end is graded; make sure that it is "
        "your best.\n"
    )


@cache
def _text(name: str) -> str:
    return (TEXTS_DIR / name).read_text(encoding="utf-8")
