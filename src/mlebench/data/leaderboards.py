"""Full leaderboards: from Kaggle, or from an existing checkout of the original."""

from __future__ import annotations

import io
import logging
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.kaggle import KaggleClient
from mlebench.errors import ConfigError, DataSourceError, NoLeaderboardError
from mlebench.preparing.reading import DAMAGE
from mlebench.registry import Registry
from mlebench.registry.competition import LEADERBOARD_FILE, Competition
from mlebench.registry.leaderboard import Leaderboard, require_order
from mlebench.registry.scores_file import score_column
from mlebench.writing import written_whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "NoLeaderboardError",
    "download_leaderboard",
    "ensure_leaderboard_exists",
    "import_leaderboards",
    "leaderboard_path",
]

logger = logging.getLogger(__name__)


def leaderboard_path(competition: Competition) -> Path:
    """Where the full list of a competition is kept: with its data."""
    return competition.data_dir / LEADERBOARD_FILE


def ensure_leaderboard_exists(competition: Competition, force: bool = False) -> Path:
    """The csv of a competition's leaderboard; with ``force``, first fetched from Kaggle.

    Raises:
        NoLeaderboardError: There is none, and it is not to be fetched.
    """
    if force:
        return download_leaderboard(competition)
    if not competition.has_leaderboard:
        raise NoLeaderboardError(
            f"{competition.id} has no leaderboard: {competition.leaderboard} does not exist."
        )
    return competition.leaderboard


def download_leaderboard(competition: Competition, client: KaggleClient | None = None) -> Path:
    """Fetch the full leaderboard from Kaggle and keep the scores.

    Raises:
        DataSourceError: What Kaggle sends cannot be used.
        NoLeaderboardError: Kaggle never had one.
    """
    import pandas as pd

    if competition.facts.leaderboard_of != "teams":
        raise NoLeaderboardError(
            f"Kaggle has no leaderboard of {competition.id}: it is one of "
            f"{competition.facts.leaderboard_of}, and comes with the competition."
        )
    content = (client or KaggleClient()).download_leaderboard(competition.id)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            frame = pd.read_csv(archive.open(archive.namelist()[0]), encoding="utf-8-sig")
        scores = _scores(competition, frame)
        numbers = scores["score"].to_numpy("float64")
    # What is damaged in a zip may also look like a password or an unknown way of packing.
    except (*DAMAGE, IndexError, RuntimeError) as error:
        raise DataSourceError(
            f"Kaggle's leaderboard of {competition.id} is unreadable: {error}"
        ) from error
    if competition.is_lower_better is not None:
        try:
            what = f"Kaggle's leaderboard of {competition.id}"
            require_order(what, numbers, competition.is_lower_better)
        except ConfigError as error:
            raise DataSourceError(str(error)) from error
    return _store(competition, scores)


def import_leaderboards(registry: Registry, checkout: Path) -> list[str]:
    """Take over ``leaderboard.csv`` of every competition in an existing checkout.

    Returns:
        The ids whose leaderboards were found.
    """
    import pandas as pd

    if not checkout.is_dir():
        raise ConfigError(f"{checkout} is not a folder.")
    known, taken = set(registry.list_competition_ids()), []
    for path in sorted(checkout.rglob(LEADERBOARD_FILE)):
        if path.parent.name in known and path.is_file():
            competition = registry.get_competition(path.parent.name)
            # Refuses a file without scores, or in the wrong order.
            Leaderboard.from_csv(path, competition.is_lower_better)
            _store(competition, _scores(competition, pd.read_csv(path)))
            taken.append(competition.id)
    return taken


def _scores(competition: Competition, frame: pd.DataFrame) -> pd.DataFrame:
    """The scores alone, without anybody's name."""
    column = score_column(frame.columns)
    if column is None:
        raise DataSourceError(f"The leaderboard of {competition.id} has no column named score.")
    return frame[[column]].dropna().set_axis(["score"], axis=1)


def _store(competition: Competition, scores: pd.DataFrame) -> Path:
    """Keep the scores, in rank order."""
    path = leaderboard_path(competition)
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as partial:
        scores.to_csv(partial, index=False)
    logger.info("Leaderboard of %s: %d teams in %s", competition.id, len(scores), path)
    published = competition.facts.leaderboard
    if published and published.teams != len(scores):
        logger.warning(
            "The list of %s has %d teams, the published one %d. Medals are won by the list from "
            "now on; remove %s to have the published thresholds back.",
            competition.id, len(scores), published.teams, path,
        )  # fmt: skip
    return path
