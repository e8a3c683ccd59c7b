"""The prepared files that the facts of a competition name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mlebench.registry.facts import Facts

LISTED_FILES = 10
# Put there by us, whatever `prepare` does.
DESCRIPTION = "public/description.md"


def is_filled(path: Path) -> bool:
    """Whether there is something in a file."""
    try:
        return path.is_file() and path.stat().st_size > 0
    except FileNotFoundError:  # removed meanwhile
        return False


def wrong_paths(facts: Facts, prepared: Path) -> Iterator[str]:
    """Sentences about facts that name a file which preparing did not write."""
    for fact in ("answers", "sample_submission", "gold_submission"):
        stated = getattr(facts, fact)
        if stated is None or is_filled(prepared / stated):
            continue
        state = "is empty" if (prepared / stated).is_file() else "is missing"
        yield f"{fact}: {stated} {state}; {_what_was_written(prepared)}."


def _what_was_written(prepared: Path) -> str:
    names = [
        path.relative_to(prepared).as_posix()
        for side in ("private", "public")
        for path in sorted((prepared / side).rglob("*"))
        if path.is_file()
    ]
    names = [name for name in names if name != DESCRIPTION]
    if not names:
        return "prepare wrote no file"
    more = f" and {len(names) - LISTED_FILES} more" if len(names) > LISTED_FILES else ""
    return f"prepare wrote {', '.join(names[:LISTED_FILES])}{more}"
