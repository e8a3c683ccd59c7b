"""Comparing downloads and prepared tables with what is published."""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass
from pathlib import Path

from mlebench.data.checksums import Checksums, file_digest, has_tables
from mlebench.data.content import content_digest
from mlebench.errors import ChecksumMismatchError
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ZipSum:
    """The sum of the archive that data were made from, beside the published one."""

    path: Path
    expected: str
    actual: str

    @property
    def agrees(self) -> bool:
        """Whether it is the published archive."""
        return self.actual == self.expected

    def __str__(self) -> str:
        return (
            f"Checksum for `{self.path}` does not match the expected checksum! Expected "
            f"`{self.expected}` but got `{self.actual}`."
        )


def sum_of_zip(path: Path, on_bytes=None) -> str:
    return file_digest(path)


def verify_prepared(
    competition: Competition,
    prepared: Path,
    actual: Checksums,
    expected: Checksums | None,
    *,
    zip_sum: ZipSum | None = None,
) -> bool:
    """Compare prepared tables with the published ones; True if these are the published data.

    They are not if no tables are published, or if nothing vouches for a file that is compared
    by content: neither its bytes, nor a digest of its content, nor the zip it was made from.

    Args:
        competition: The competition; it names the files that are compared by content.
        prepared: The folder of the prepared data.
        actual: Md5 sums of the tables there.
        expected: What is published.
        zip_agrees: The raw data come from the published zip.

    Raises:
        ChecksumMismatchError: Something differs from what is published.
    """
    if not expected or not has_tables(expected):
        return False
    made, wanted = _by_path(actual), _by_path(expected)
    content = expected.get("content", {})
    is_vouched_for = True
    for name in competition.facts.compare_by_content:
        if name not in made or made[name] != wanted.get(name):
            _settle_by_content(prepared / name, name, content.get(name), made, wanted)
            is_vouched_for = is_vouched_for and name in content
    if made == wanted:
        return is_vouched_for or bool(zip_sum and zip_sum.agrees)
    lines = difflib.unified_diff(
        _lines(made), _lines(wanted), "actual_checksums", "expected_checksums", lineterm=""
    )
    raise ChecksumMismatchError(
        f"Checksums do not match for `{competition.id}`!\n" + "\n".join(lines) + "\n"
        "The raw data differ from the published ones, or a library writes tables differently. "
        "Pass --skip-verification to use the data as they are."
    )


def _settle_by_content(
    path: Path, name: str, content: str | None, made: dict[str, str], wanted: dict[str, str]
) -> None:
    """Put digests of the content in place of md5 sums, or nothing where none is published."""
    if not path.is_file():
        if content:
            wanted[name] = content
        return
    before, after = made.pop(name, None), wanted.pop(name, None)
    if content:
        made[f"{name} (content)"] = content_digest(path)
        wanted[f"{name} (content)"] = content
    elif after:
        logger.info(
            "%s has the md5 sum %s, not %s as published. That may be due to the library that "
            "wrote it; no digest of its content is published.",
            name,
            before,
            after,
        )


def _by_path(sums: Checksums) -> dict[str, str]:
    parts = {"public": sums.get("public", {}), "private": sums.get("private", {})}
    return {f"{part}/{name}": sum_ for part, files in parts.items() for name, sum_ in files.items()}


def _lines(sums: dict[str, str]) -> list[str]:
    return [f"{path}: {digest}" for path, digest in sorted(sums.items())]
