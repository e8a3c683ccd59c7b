"""A submitted file, read once: what is hashed, checked and scored is the same content."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import InvalidSubmissionError, UnreadableFileError
from mlebench.grading.widths import refuse_wide
from mlebench.holes import has_holes
from mlebench.registry.competition import PREPARED_DIRS, Competition
from mlebench.registry.suggestions import command_with
from mlebench.stamps import stamp_of

if TYPE_CHECKING:
    from mlebench.registry import Registry

LIST_SUFFIX = ".jsonl"
DEFAULT_MOST_BYTES = 10 * 10**9
# Within a competition's folder of data.
PRIVATE_PLACES = (("raw",), *((prepared, "private") for prepared in PREPARED_DIRS.values()))


@dataclass(frozen=True)
class Submitted:
    """The content of a submitted file."""

    content: bytes

    @cached_property
    def sha256(self) -> str:
        """The digest that reports name it by."""
        return hashlib.sha256(self.content).hexdigest()


def is_submission(path: Path) -> bool:
    """Whether there is a file with a csv's name; a name that no file can have is none."""
    return find_lack(path) is None


def find_lack(path: Path | None) -> InvalidSubmissionError | None:
    """Why there is no submission at a path, in the original's words where it has some.

    Args:
        path: What was given as the submission; None where nothing was.
    """
    if path is None:
        return InvalidSubmissionError("Nothing was submitted.", code="no_submission")
    try:
        is_there, is_file, is_folder = path.exists(), path.is_file(), path.is_dir()
    except ValueError:  # a name that no file can have
        is_there = is_file = is_folder = False
    except OSError as error:  # or one that we must not see, as whoever reads it will tell
        is_there = is_file = error.errno != errno.ENAMETOOLONG
        is_folder = False
    if is_folder:
        what = f"Submission file {path} is a folder; name the csv in it."
        return InvalidSubmissionError(what, code="not_csv")
    if not is_file:
        what = "is no regular file" if is_there else "does not exist"
        return InvalidSubmissionError(f"Submission file {path} {what}.", code="no_submission")
    if path.suffix.lower() != ".csv":
        return InvalidSubmissionError("Submission file must be a CSV file.", code="not_csv")
    return None


def advice_on_list(path: Path, registry: Registry) -> str | None:
    """The command that grades what a file lists, if it is a list rather than a submission."""
    if path.suffix.lower() != LIST_SUFFIX or find_lack(path) is None:
        return None
    many = command_with(registry, "grade", "--submission", path, "--output-dir", "reports")
    return f"To grade the submissions that it lists: {many}"


def read_submitted(path: Path, competition: Competition, most_bytes: int) -> Submitted:
    """Read a submitted file, unless it is too long, absurdly wide or one of the answers.

    Raises:
        InvalidSubmissionError: The file is no submission, whatever it holds.
        UnreadableFileError: It cannot be read, or changed while it was.
    """
    try:
        # Without waiting, should it have become a pipe by now.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableFileError(f"{path} is no regular file.")
        _refuse_disguised(path, before, competition)
        _refuse_long(handle, before.st_size, most_bytes)
        content = b"".join(_chunks(handle, before.st_size, most_bytes))
        after = os.fstat(handle)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(handle)
    if stamp_of(before) != stamp_of(after) or len(content) != after.st_size:
        raise UnreadableFileError(f"{path} changed while it was read.")
    refuse_wide(content, competition)
    return Submitted(content)


def _unreadable(path: Path, error: OSError) -> UnreadableFileError:
    return UnreadableFileError(f"{path} cannot be read: {error.strerror or error}.")


def _refuse_disguised(path: Path, opened: os.stat_result, competition: Competition) -> None:
    """Refuse what leads to private data by a link.

    Whoever names a private file openly, such as the gold submission, means it.
    """
    real = os.path.realpath(path)
    has_other_names = opened.st_nlink > 1 and _is_twin_of_private(opened, competition)
    if not has_other_names and not _is_private(real, competition):
        return
    if not _is_private(os.path.abspath(path), competition):  # noqa: PTH100 (links stay)
        raise InvalidSubmissionError(
            "The file is a link into the private data of a competition.", code="private_file"
        )


def _is_twin_of_private(opened: os.stat_result, competition: Competition) -> bool:
    """Whether an open file is one of the private ones under another name."""
    data = competition.data_dir.parent
    folders = {competition.private_dir, competition.answers.parent}
    for prepared in PREPARED_DIRS.values():
        folders.update(data.glob(f"*/{prepared}/private"))
    return any(
        os.path.samestat(entry.stat(), opened)
        for folder in folders
        if folder.is_dir()
        for entry in list(os.scandir(folder))
    )


def _is_private(path: str, competition: Competition) -> bool:
    """Whether a path lies in the raw or private data of this or another competition."""
    data = str(competition.data_dir.parent)
    if any(
        _below(name, path) is not None
        for folder in (str(competition.private_dir), str(competition.raw_dir))
        if _below(data, folder) is None
        for name in _names(folder)
    ):
        return True
    inside = next((rest for name in _names(data) if (rest := _below(name, path)) is not None), "")
    parts = Path(inside).parts[1:]
    return any(parts[: len(place)] == place for place in PRIVATE_PLACES)


def _names(folder: str) -> set[str]:
    """A folder as it is called and as it is called without links."""
    return {folder, os.path.realpath(folder)}


def _below(folder: str, path: str) -> str | None:
    """The way from a folder to a path inside; None if it is outside."""
    if path == folder:
        return ""
    beginning = folder.rstrip(os.sep) + os.sep
    return path.removeprefix(beginning) if path.startswith(beginning) else None


def _refuse_long(handle: int, size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise InvalidSubmissionError(
            f"The file has {size:,} bytes; at most {most_bytes:,} are read.", code="too_large"
        )
    if has_holes(handle, size):
        raise InvalidSubmissionError(
            "The file holds NUL bytes: it is binary, or not saved as UTF-8.", code="encoding"
        )


def _chunks(handle: int, size: int, most_bytes: int) -> Iterator[bytes]:
    """The content of a file, as a rule in one piece; not without end if it grows."""
    left = most_bytes + 1
    while left > 0 and (chunk := os.read(handle, min(size + 1, left))):
        left -= len(chunk)
        yield chunk
