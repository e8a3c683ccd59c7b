"""The places in a room, as every agent written for the original expects them."""

from __future__ import annotations

from pathlib import PurePosixPath

HOME = PurePosixPath("/home")
"""Where the places are in a room that has walls; a room without them has them elsewhere."""

DATA, SUBMISSION, LOGS, CODE, AGENT = "data", "submission", "logs", "code", "agent"
COLLECTED = (SUBMISSION, LOGS, CODE)
"""The folders whose content outlives the room."""

INSTRUCTIONS = "instructions.txt"
OBFUSCATED_INSTRUCTIONS = "instructions_obfuscated.txt"
VALIDATE_SCRIPT = "validate_submission.sh"
SUBMISSION_FILE = "submission.csv"

VALIDATION_PORT = 5000
VALIDATION_URL_VARIABLE = "MLEBENCH_VALIDATION_URL"


def places(home: PurePosixPath = HOME) -> dict[str, str]:
    """Environment variables that tell where the places are, for rooms that cannot mount."""
    return {
        "DATA_DIR": str(home / DATA),
        "SUBMISSION_DIR": str(home / SUBMISSION),
        "LOGS_DIR": str(home / LOGS),
        "CODE_DIR": str(home / CODE),
        "AGENT_DIR": str(home / AGENT),
        "INSTRUCTIONS_FILE": str(home / INSTRUCTIONS),
        "VALIDATE_SCRIPT": str(home / VALIDATE_SCRIPT),
        "HOME": str(home / AGENT),
    }
