"""Lists of competitions: the built-in ones, and text files with one id a line."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from mlebench.errors import ConfigError
from mlebench.registry.yaml_files import read_text
from mlebench.settings import PACKAGE_DIR

SPLITS_DIR = PACKAGE_DIR / "resources" / "splits"

# Beside the original's competitions, which programs count on to be all there are.
SPLITS_BESIDE = ("mini",)
# By which a csv or a JSON file gives itself away.
NOT_IN_IDS = (",", "{", "[", "\0")


def read_id_list(path: Path) -> list[str]:
    """The competitions in a text file with one id a line.

    Raises:
        ConfigError: It is empty, or something else than a list.
    """
    ids = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    if not ids:
        raise ConfigError(f"{path} is empty; write one competition id a line into it.")
    if any(mark in ids[0] for mark in NOT_IN_IDS):
        raise ConfigError(
            f"{path} is no list of competitions: its first line is {ids[0][:80]!r}. Write one "
            "id a line and nothing else."
        )
    return ids


@cache
def ids_beside() -> frozenset[str]:
    """The built-in competitions that the original does not have."""
    return frozenset(
        name for split in SPLITS_BESIDE for name in read_id_list(SPLITS_DIR / f"{split}.txt")
    )
