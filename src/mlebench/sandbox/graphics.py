"""The graphics cards of a room."""

from __future__ import annotations

import re
from pathlib import Path

from mlebench.errors import SandboxError

DEVICES = Path("/dev")
# What every program needs that uses any of the cards.
COMMON = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps")


def graphics_devices(wanted: int, devices: Path = DEVICES) -> list[Path]:
    """The device files for as many cards; for all of them if it is -1.

    Raises:
        SandboxError: There are fewer.
    """
    if wanted == 0:
        return []
    cards = [path for path in devices.glob("nvidia*") if re.fullmatch(r"nvidia\d+", path.name)]
    cards.sort(key=lambda path: int(path.name.removeprefix("nvidia")))
    if len(cards) < max(wanted, 1):
        raise SandboxError(
            f"The run wants {'graphics cards' if wanted < 0 else wanted}, and this machine has "
            f"{len(cards)} that a room could use."
        )
    chosen = cards if wanted < 0 else cards[:wanted]
    return chosen + [devices / name for name in COMMON if (devices / name).exists()]
