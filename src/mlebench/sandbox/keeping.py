"""The process that holds a room without walls together: adopts its orphans, ends them all."""

from __future__ import annotations

import os
from typing import NoReturn

from mlebench.processes.trees import adopt_orphans, end_descendants
from mlebench.sandbox import door


def main() -> NoReturn:
    """Run the agent's command; leave with its exit code, and with nothing of it left."""
    adopt_orphans()
    door.live(door.read_config(), [], _leave)


def _leave(code: int) -> NoReturn:
    try:
        end_descendants()
    finally:
        os._exit(code)
