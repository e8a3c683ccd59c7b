"""Made-up sessions of three listeners."""

from pathlib import Path

import pandas as pd

from mlebench.preparing.tables import write_csv

PLAYED = {
    ("ann", 1): "blue high low",
    ("ann", 2): "blue high",
    ("ben", 1): "low",
    ("ben", 2): "sun",
    ("cem", 1): "sun moon",
    ("cem", 2): "moon star rain wind",
}


def fixture(raw: Path) -> None:
    """Write a row for each song."""
    plays = [(*session, song) for session, songs in PLAYED.items() for song in songs.split()]
    write_csv(pd.DataFrame(plays, columns=["listener", "session", "song"]), raw / "plays.csv")
