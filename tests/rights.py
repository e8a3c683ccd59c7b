"""Being an ordinary user for a while, whoever runs the tests."""

from __future__ import annotations

import os
import shutil

import pytest

POWERS = ("chown", "dac_override", "dac_read_search", "fowner")


def as_ordinary_user(*command: str) -> list[str]:
    """A command for which the rights of files count, also if root starts it.

    It stays the same user, so that all that this user owns is still its own.
    """
    if os.geteuid() != 0:
        return [*command]
    if shutil.which("setpriv") is None:
        pytest.skip("root needs setpriv to do without its powers")
    without = ",".join(f"-{power}" for power in POWERS)
    return ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}", *command]
