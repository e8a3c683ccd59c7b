"""Reading ``leaderboard.csv``, and saying what is wrong with one that cannot be used."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mlebench.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas as pd

SCORE_COLUMNS = ("score", "Score")
LONGEST_FILE = 100_000_000
LFS_MARK = b"version https://git-lfs"
HOW_TO_MEND = (
    "A leaderboard has a column named score with one number per team, best team first; mend the "
    "file, or remove it to do without."
)
LISTED_COLUMNS = 10


class ScoresFile(NamedTuple):
    """What a file says: one score a team, and whether the list was rebuilt from figures."""

    scores: npt.NDArray[np.float64]
    rebuilt: bool


def require_short(path: Path) -> None:
    """Refuse a file that is far longer than any leaderboard, before it fills the memory.

    Raises:
        ConfigError: It is.
    """
    if path.is_file() and path.stat().st_size > LONGEST_FILE:
        raise ConfigError(f"{path} is no leaderboard: it has more than {LONGEST_FILE:,} bytes.")


def score_column(names: Collection[str]) -> str | None:
    """The column that holds the scores, if there is one."""
    return next((name for name in SCORE_COLUMNS if name in names), None)


def read_scores(path: Path) -> ScoresFile:
    """The scores in a file, in its order; teams without one are left out.

    Raises:
        ConfigError: It is no leaderboard; the message says why and what to do.
    """
    import pandas as pd

    if path.is_file():
        _refuse_lfs_pointer(path)
    try:
        frame = pd.read_csv(path)
    except ValueError as error:  # pandas' own errors are ValueErrors
        is_empty = isinstance(error, pd.errors.EmptyDataError)
        raise _refusal(path, "is empty" if is_empty else f"is no csv: {error}") from error
    column = score_column(frame.columns)
    if column is None:
        found = ", ".join(map(str, frame.columns[:LISTED_COLUMNS]))
        raise _refusal(path, f"has no column named score; it has {found}")
    if len(frame) and not isinstance(frame.index, pd.RangeIndex):  # pandas' way with such rows
        raise _refusal(path, "has rows with more cells than the header names")
    scores = _numbers(path, frame[column].dropna())
    rebuilt = frame.get("rebuilt", pd.Series([False])).iloc[0]
    return ScoresFile(scores, bool(pd.notna(rebuilt) and rebuilt))


def _refuse_lfs_pointer(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(LFS_MARK)) == LFS_MARK:
            raise ConfigError(
                f"{path} is a Git LFS pointer (git-lfs), not the leaderboard itself. Fetch the "
                "real file with `git lfs pull`, or remove it to do without."
            )


def _numbers(path: Path, cells: pd.Series[Any]) -> npt.NDArray[np.float64]:
    import numpy as np
    import pandas as pd

    if cells.empty:
        raise _refusal(path, "holds no scores")
    numbers = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64)
    is_bad = ~np.isfinite(numbers)
    if is_bad.any():
        first = cells[is_bad].iloc[0]
        raise _refusal(
            path,
            f"holds the score {str(first)!r} for team {cells[is_bad].index[0] + 1}, which "
            "is no finite number",
        )
    return numbers


def _refusal(path: Path, reason: str) -> ConfigError:
    return ConfigError(f"{path} {reason}. {HOW_TO_MEND}")
