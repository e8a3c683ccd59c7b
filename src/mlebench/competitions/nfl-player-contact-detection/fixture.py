"""Made-up raw data of 1st and Future - Player Contact Detection."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.videos import write_mp4
from mlebench.preparing.tables import write_csv

from .task import VIEWS

PLAYS, PLAYERS, STEPS = 12, 3, 3
FILMED = pd.DataFrame({"view": ["Endzone", "Sideline"]})
GROUND = "G"


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    games = np.repeat(58_000 + rng.permutation(1000)[: PLAYS // 2], 2)
    plays = pd.DataFrame({"game_key": games, "play_id": rng.permutation(4000)[:PLAYS]})
    names = [f"{game}_{play:06d}" for game, play in zip(plays["game_key"], plays["play_id"])]
    plays.insert(0, "game_play", names)
    players = np.sort(30_000 + rng.permutation(20_000)[: PLAYS * PLAYERS].reshape(PLAYS, -1))
    everybody = plays.loc[plays.index.repeat(PLAYERS)].assign(nfl_player_id=players.ravel())
    tracking = _tracking(rng, everybody)
    times = {"start_time": _time(0), "end_time": _time(90), "snap_time": _time(50)}
    tables = {
        "labels": _labels(tracking),
        "player_tracking": tracking,
        "baseline_helmets": _helmets(rng, everybody),
        "video_metadata": plays.merge(FILMED, how="cross").assign(**times),
    }
    for name, table in tables.items():
        write_csv(table, raw / f"train_{name}.csv")
    for name in names:
        for view in VIEWS:
            write_mp4(raw / "train" / f"{name}_{view}.mp4", rng.bytes(8))


def _time(step: int) -> str:
    return f"2020-09-01T00:00:{10 + step / 10:06.3f}Z"


def _tracking(rng: np.random.Generator, everybody: pd.DataFrame) -> pd.DataFrame:
    steps = pd.DataFrame({"datetime": map(_time, range(STEPS)), "step": range(STEPS)})
    table = everybody.merge(steps, how="cross")
    rows = len(table)
    return table.assign(
        position=rng.choice(["WR", "CB", "QB"], rows),
        team=rng.choice(["home", "away"], rows),
        jersey_number=rng.integers(1, 99, rows),
        x_position=rng.uniform(50, 53, rows).round(2),
        y_position=rng.uniform(20, 23, rows).round(2),
        speed=rng.uniform(0, 9, rows).round(2),
        distance=rng.uniform(0, 0.9, rows).round(2),
        direction=rng.uniform(0, 360, rows).round(2),
        orientation=rng.uniform(0, 360, rows).round(2),
        acceleration=rng.uniform(0, 5, rows).round(2),
        sa=rng.normal(0, 2, rows).round(2),
    )


def _labels(tracking: pd.DataFrame) -> pd.DataFrame:
    """Who is near is in contact, and who hardly moves lies on the ground."""
    rows = []
    moments = tracking.groupby(["game_play", "step", "datetime"], sort=False)
    for (play, step, when), moment in moments:
        places = moment[["nfl_player_id", "x_position", "y_position"]].to_numpy()
        pairs: list[tuple[int, int | str, bool]] = [
            (int(one[0]), int(other[0]), np.hypot(*(one - other)[1:]) < 1)
            for one, other in combinations(places, 2)
        ]
        pairs += zip(moment["nfl_player_id"], [GROUND] * PLAYERS, moment["speed"] < 2)
        for one, other, contact in pairs:
            name = f"{play}_{step}_{one}_{other}"
            rows.append((name, play, when, step, one, other, int(contact)))
    columns = ("contact_id", "game_play", "datetime", "step", "nfl_player_id_1", "nfl_player_id_2")
    return pd.DataFrame(rows, columns=[*columns, "contact"])


def _helmets(rng: np.random.Generator, everybody: pd.DataFrame) -> pd.DataFrame:
    seen = FILMED.merge(everybody, how="cross")
    rows = len(seen)
    boxes = rng.integers(1, 600, (4, rows))
    return pd.DataFrame(
        {
            **seen[["game_play", "game_key", "play_id", "view"]],
            "video": seen["game_play"] + "_" + seen["view"] + ".mp4",
            "frame": rng.integers(1, 500, rows),
            "nfl_player_id": seen["nfl_player_id"],
            "player_label": [f"H{number}" for number in rng.integers(1, 99, rows)],
            **dict(zip(("left", "width", "top", "height"), boxes)),
        }
    )
