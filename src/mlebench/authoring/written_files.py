"""The files that preparing leaves: those that the facts name, and none where none belong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mlebench.data.checksums import file_digest
from mlebench.registry.competition import Competition

LISTED_FILES = 10
# Put there by us, whatever `prepare` does.
DESCRIPTION = "public/description.md"


def named_files(competition: Competition) -> dict[str, Path]:
    """The prepared files that the facts name, by the name of the fact."""
    return {
        "answers": competition.answers,
        "sample_submission": competition.sample_submission,
        "gold_submission": competition.gold_submission,
    }


def is_filled(path: Path) -> bool:
    """Whether there is something in a file."""
    return path.is_file() and path.stat().st_size > 0


def wrong_paths(competition: Competition) -> Iterator[str]:
    """Sentences about facts that name a file which preparing did not write."""
    prepared = competition.prepared_dir
    for fact, path in named_files(competition).items():
        is_stated = fact != "gold_submission" or competition.facts.gold_submission is not None
        if not is_stated or is_filled(path):
            continue
        wanted = path.relative_to(prepared).as_posix() if path.is_relative_to(prepared) else path
        state = "is empty" if path.is_file() else "is missing"
        yield f"{fact}: {wanted} {state}; {_what_was_written(prepared)}."


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


def digests(folder: Path) -> dict[str, str]:
    """The sums of all files below a folder."""
    return {
        path.relative_to(folder).as_posix(): file_digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def describe_changes(before: dict[str, str], after: dict[str, str]) -> str:
    """Which files of the raw data came, changed or went; nothing if none did."""
    kinds = {
        "wrote": after.keys() - before.keys(),
        "changed": {name for name in before.keys() & after.keys() if before[name] != after[name]},
        "removed": before.keys() - after.keys(),
    }
    told = [f"{verb} {', '.join(sorted(names))}" for verb, names in kinds.items() if names]
    if not told:
        return ""
    return (
        f"prepare {'; '.join(told)} in raw. Write into public and private only; files placed there "
        "may be links to those in raw, so write changed ones anew."
    )
