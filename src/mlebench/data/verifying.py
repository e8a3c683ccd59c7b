"""Comparing downloads and prepared tables with what is published."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mlebench.data.checksums import Checksums, PublishedContent, by_path, has_tables
from mlebench.data.comparing import file_difference
from mlebench.data.content import TableContent, content_digest
from mlebench.errors import ChecksumMismatchError, DataSourceError, TaskError
from mlebench.registry.competition import Competition

logger = logging.getLogger(__name__)

# How sums of the content are told from those of the bytes where both stand side by side.
BY_CONTENT = " (content)"
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class ZipCheck:
    """A download's md5 sum beside the published one, each of them if it is known."""

    path: Path | None = None
    expected: str | None = None
    actual: str | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether it is the published zip; None where there is nothing to compare."""
        if self.expected is None or self.actual is None:
            return None
        return self.expected == self.actual

    def __str__(self) -> str:
        return (
            f"Checksum for `{self.path}` does not match the expected checksum! Expected "
            f"`{self.expected}` but got `{self.actual}`."
        )


NO_ZIP = ZipCheck()


def require_comparable(check: ZipCheck, expected: Checksums | None) -> None:
    """Refuse another zip where nothing could show that it holds the same.

    Raises:
        ChecksumMismatchError: It is not the published one, and no tables are published.
    """
    if check.agrees is False and not (expected and has_tables(expected)):
        raise ChecksumMismatchError(
            f"{check} Download the file again, or pass --skip-verification to use it as it is."
        )


@contextmanager
def blamed_on(check: ZipCheck) -> Iterator[None]:
    """What fails in here fails because of the zip, if that is not the published one.

    Raises:
        ChecksumMismatchError: In place of the error about what was in the zip.
    """
    try:
        yield
    except (DataSourceError, TaskError) as error:
        if check.agrees is False and not isinstance(error, ChecksumMismatchError):
            raise ChecksumMismatchError(f"{check} Download the file again. {error}") from error
        raise


@dataclass
class Comparison:
    """The sums of prepared tables beside the published ones, as far as they matter."""

    made: dict[str, str]
    wanted: dict[str, str]
    sentences: list[str] = field(default_factory=list)
    """What differs, for people."""
    missing: list[str] = field(default_factory=list)
    """The published files that are not there."""
    is_vouched_for: bool = True
    """Whether each file agrees in its bytes or has a published digest of its content."""

    @property
    def agrees(self) -> bool:
        """Whether nothing contradicts what is published."""
        return self.made == self.wanted


def compare_prepared(
    competition: Competition, prepared: Path, actual: Checksums, expected: Checksums
) -> Comparison:
    """Compare prepared tables with the published ones.

    Args:
        competition: The competition; it names the files that are compared by content.
        prepared: The folder of the prepared data.
        actual: Md5 sums of the tables there.
        expected: What is published.
    """
    made, wanted = by_path(actual), by_path(expected)
    contents = expected.get("content", {})
    result = Comparison(dict(made), dict(wanted))
    for name in competition.facts.compare_by_content:
        if name not in made or made[name] != wanted.get(name):
            _settle_by_content(prepared / name, name, contents.get(name), result)
            result.is_vouched_for = result.is_vouched_for and name in contents
    for name in _differing(result):
        path = prepared / name
        result.sentences.append(file_difference(path, name, wanted.get(name), contents.get(name)))
        if not path.is_file():
            result.missing.append(name)
    return result


def verify_prepared(
    competition: Competition,
    prepared: Path,
    actual: Checksums,
    expected: Checksums | None,
    *,
    zip_check: ZipCheck = NO_ZIP,
) -> bool:
    """Compare prepared tables with the published ones; True if these are the published data.

    They are not if no tables are published, or if nothing vouches for a file that is compared
    by content: neither its bytes, nor a digest of its content, nor the zip it was made from.
    Tables that agree make up for another zip.

    Args:
        competition: The competition; it names the files that are compared by content.
        prepared: The folder of the prepared data.
        actual: Md5 sums of the tables there.
        expected: What is published.
        zip_check: How the zip of the raw data compares with the published one.

    Raises:
        ChecksumMismatchError: Something differs from what is published.
    """
    require_comparable(zip_check, expected)
    if not expected or not has_tables(expected):
        return False
    comparison = compare_prepared(competition, prepared, actual, expected)
    if not comparison.agrees:
        raise _mismatch(competition, comparison, zip_check)
    if zip_check.agrees is False:
        if not comparison.is_vouched_for:
            raise ChecksumMismatchError(
                f"{zip_check} Not all that was made from it can be compared with what is "
                "published. Download the file again, or pass --skip-verification to use it as it "
                "is."
            )
        logger.info(
            "%s differs from the published zip, but what it holds does not: its md5 sum is %s, "
            "not %s, and all tables made from it agree.",
            zip_check.path,
            zip_check.actual,
            zip_check.expected,
        )
    return comparison.is_vouched_for or zip_check.agrees is True


def _mismatch(
    competition: Competition, comparison: Comparison, zip_check: ZipCheck
) -> ChecksumMismatchError:
    made, wanted = _lines(comparison.made), _lines(comparison.wanted)
    lines = difflib.unified_diff(
        made, wanted, "actual_checksums", "expected_checksums", lineterm=""
    )
    parts = [f"Checksums do not match for `{competition.id}`!", *lines, *comparison.sentences]
    if zip_check.agrees is False:
        parts.append(str(zip_check))
    parts.append(
        "The raw data differ from the published ones, or a library writes tables differently. "
        "Pass --skip-verification to use the data as they are."
    )
    return ChecksumMismatchError("\n".join(parts))


def _settle_by_content(
    path: Path, name: str, content: PublishedContent | None, sums: Comparison
) -> None:
    """Put digests of the content in place of md5 sums, or nothing where none is published."""
    published = content.digest if isinstance(content, TableContent) else content
    if not path.is_file():
        if published:
            sums.wanted[name] = published
        return
    before, after = sums.made.pop(name, None), sums.wanted.pop(name, None)
    if published:
        sums.made[name + BY_CONTENT] = _digest_here(path)
        sums.wanted[name + BY_CONTENT] = published
    elif after:
        logger.info(
            "%s has the md5 sum %s, not %s as published. That may be due to the library that "
            "wrote it; no digest of its content is published.",
            name,
            before,
            after,
        )


def _digest_here(path: Path) -> str:
    try:
        return content_digest(path)
    except DataSourceError:
        return UNREADABLE  # differs from any digest; the sentence about the file says why


def _differing(sums: Comparison) -> list[str]:
    names = sums.made.keys() | sums.wanted.keys()
    differing = {name for name in names if sums.made.get(name) != sums.wanted.get(name)}
    return sorted(name.removesuffix(BY_CONTENT) for name in differing)


def _lines(sums: dict[str, str]) -> list[str]:
    return [f"{path}: {digest}" for path, digest in sorted(sums.items())]
