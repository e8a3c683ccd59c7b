"""Parsing the facts of all competitions beforehand: ``make facts``."""

from __future__ import annotations

from mlebench.registry.catalog import BUILT_IN_DIR
from mlebench.registry.facts import FACTS_FILE
from mlebench.registry.parsed import write_parsed


def built_in_texts() -> list[str]:
    """The facts of all built-in competitions, as they stand in their files."""
    paths = sorted(BUILT_IN_DIR.glob(f"*/{FACTS_FILE}"))
    return [path.read_text(encoding="utf-8") for path in paths]


if __name__ == "__main__":
    write_parsed(built_in_texts())
