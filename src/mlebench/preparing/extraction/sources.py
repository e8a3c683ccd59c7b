"""An archive that is being unpacked, and what is said when it cannot be."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mlebench.errors import DataSourceError, MlebenchError, UnwritableFolderError
from mlebench.printable import printable

LONGEST_SHOWN = 200
# What can be done instead.
ELSEWHERE = "If you trust the archive, unpack it with another program and give the folder."
DECRYPT = "Unpack the archive with its password and give the folder."
AGAIN = "Download the archive again."

Kind = type[DataSourceError] | type[UnwritableFolderError]


@dataclass(frozen=True)
class Archive:
    """An archive on the disk, and the name that people know it by."""

    path: Path
    shown: str

    def refusal(
        self, what: str, advice: str = ELSEWHERE, kind: Kind = DataSourceError
    ) -> MlebenchError:
        """The error for an archive that is not to be unpacked, be it to blame or not."""
        return kind(f"{self.shown} cannot be unpacked: {what}. {advice}")

    def refused(
        self, member: str, what: str, advice: str = ELSEWHERE, kind: Kind = DataSourceError
    ) -> MlebenchError:
        """The error for a member that must not be unpacked."""
        return self.refusal(f"its member {_shown(member)} {what}", advice, kind)

    @contextmanager
    def reading(self, member: str | None = None) -> Iterator[None]:
        """Read the archive by somebody's library, which may fail at damaged bytes in any way.

        Raises:
            DataSourceError: It failed, but for a disk that cannot be read.
        """
        try:
            yield
        except MlebenchError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and not _is_about_content(error):
                raise
            raise self._damage(member, error) from error

    def _damage(self, member: str | None, error: Exception) -> MlebenchError:
        why = str(error) or type(error).__name__
        if member is None:
            return self.refusal(f"it is damaged or no such archive ({why})", AGAIN)
        return self.refused(member, f"is damaged ({why})", AGAIN)


def _is_about_content(error: OSError) -> bool:
    """Whether bytes are wrong, which decompressors and impossible positions report this way."""
    return error.errno in (None, errno.EINVAL)


def _shown(member: str) -> str:
    # A name may be as long as somebody likes; its end often tells more than its middle.
    if len(member) > LONGEST_SHOWN:
        member = f"{member[: LONGEST_SHOWN // 2]}…{member[-LONGEST_SHOWN // 2 :]}"
    return printable(member) or "without a name"
