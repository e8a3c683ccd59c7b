"""What became of the raw data, which preparing must leave alone."""

from __future__ import annotations

from pathlib import Path

from mlebench.data.checksums import file_digest


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
