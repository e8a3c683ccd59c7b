"""What went wrong, in a line for the journal."""

from __future__ import annotations

import traceback
from pathlib import Path

LONGEST = 500


def told(error: BaseException) -> str:
    """What went wrong, and where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"[:LONGEST]
