"""Md5 sums of prepared tables, compared with the published ones."""

from __future__ import annotations

import difflib
import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mlebench.errors import ChecksumMismatchError
from mlebench.registry.facts import load_yaml

COVERED_SUFFIXES = frozenset({".csv", ".json", ".jsonl", ".parquet", ".bson"})

Checksums = dict[str, Any]


def file_digest(path: Path, algorithm: str = "md5") -> str:
    """The hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def checksums_of(folder: Path) -> dict[str, str]:
    """Md5 sums of the tables directly in a folder."""
    tables = sorted(path for path in folder.iterdir() if path.suffix in COVERED_SUFFIXES)
    with ThreadPoolExecutor() as threads:
        return dict(
            zip((path.name for path in tables), threads.map(file_digest, tables), strict=True)
        )


def load_checksums(path: Path) -> Checksums | None:
    """The published sums of a competition, if there are any."""
    return load_yaml(path) if path.is_file() else None


def verify_zip(path: Path, expected: Checksums | None) -> None:
    """Refuse a download that is not the published one."""
    if not expected or "zip" not in expected:
        return
    actual = file_digest(path)
    if actual != expected["zip"]:
        raise ChecksumMismatchError(
            f"Checksum for `{path}` does not match the expected checksum! Expected "
            f"`{expected['zip']}` but got `{actual}`. Download the file again, or pass "
            "--skip-verification to use it as it is."
        )


def verify_prepared(competition_id: str, actual: Checksums, expected: Checksums | None) -> bool:
    """Compare prepared tables with the published ones; False if nothing is published."""
    if not expected:
        return False
    wanted = {part: expected.get(part, {}) for part in ("public", "private")}
    if actual == wanted:
        return True
    lines = difflib.unified_diff(
        _lines(actual), _lines(wanted), "actual_checksums", "expected_checksums", lineterm=""
    )
    raise ChecksumMismatchError(
        f"Checksums do not match for `{competition_id}`!\n" + "\n".join(lines) + "\n"
        "The raw data differ from the published ones, or a library writes tables differently. "
        "Pass --skip-verification to use the data as they are."
    )


def _lines(checksums: Checksums) -> list[str]:
    return [
        f"{part}/{name}: {digest}"
        for part, files in checksums.items()
        for name, digest in sorted(files.items())
    ]


def save_checksums(path: Path, prepared: Checksums, archive: Path | None) -> None:
    """Record sums as the published ones; the zip's sum is kept where there is no zip."""
    import yaml

    known = load_checksums(path) or {}
    digest = file_digest(archive) if archive else known.get("zip")
    sums = ({"zip": digest} if digest else {}) | prepared
    path.write_text(yaml.safe_dump(sums, sort_keys=False), encoding="utf-8")
