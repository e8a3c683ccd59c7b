"""Features and predictions on disk, made once and shared by all steps."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Made = TypeVar("Made")


class Store:
    """A folder of things that took time to make."""

    def __init__(self, folder: Path) -> None:
        """Keep things in a folder, which is made."""
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, name: str, make: Callable[[], Made]) -> Made:
        """What has a name; made if nobody made it before."""
        place = self._place(name)
        if place.exists():
            return self.load(name)  # type: ignore[no-any-return]
        made = make()
        self.save(name, made)
        return made

    def has(self, name: str) -> bool:
        """Whether there is something of this name."""
        return self._place(name).exists()

    def save(self, name: str, made: object) -> None:
        """Keep something, whole or not at all."""
        place = self._place(name)
        beside = place.with_suffix(f".{os.getpid()}")
        with beside.open("wb") as file:
            pickle.dump(made, file, protocol=pickle.HIGHEST_PROTOCOL)
        beside.replace(place)

    def load(self, name: str) -> Any:
        """What was kept."""
        with self._place(name).open("rb") as file:
            return pickle.load(file)  # noqa: S301 (our own)

    def _place(self, name: str) -> Path:
        return self._folder / (re.sub(r"[^\w.-]+", "-", name) + ".pickle")
