"""Importing what grading needs before processes are forked for it."""

from __future__ import annotations

import contextlib
from importlib import import_module
from io import BytesIO

from mlebench.errors import MlebenchError
from mlebench.grading.libraries import import_libraries
from mlebench.registry import Registry
from mlebench.registry.plain_tables import read_csv

# What every grading needs and takes long to import.
NEEDED = ("pandas", "pyarrow.csv", "pyarrow.compute", "mlebench.submission")


class Warmth:
    """What has been imported for the competitions of a registry."""

    def __init__(self, registry: Registry) -> None:
        """Import what all of them need."""
        self._registry = registry
        self._seen: set[str] = set()
        for module in NEEDED:
            import_module(module)
        # What is done now, every forked process finds done.
        read_csv(BytesIO(b"id,value\na,0.5\n"))

    def get_ready(self, competition_id: str) -> None:
        """Import the libraries that a competition's own files import."""
        if competition_id in self._seen:
            return
        self._seen.add(competition_id)
        with contextlib.suppress(MlebenchError, OSError):
            import_libraries(self._registry.folder_of(competition_id))
