"""Made-up raw data of Spaceship Titanic."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 160
    group = np.arange(rows) // 2 + 1
    asleep = rng.random(rows) < 0.35
    spent = np.where(asleep, 0.0, rng.exponential(300, rows).round())
    passengers = pd.DataFrame(
        {
            "PassengerId": [f"{g:04d}_{k % 2 + 1:02d}" for k, g in enumerate(group)],
            "HomePlanet": rng.choice(["Earth", "Europa", "Mars"], rows),
            "CryoSleep": pd.Series(asleep, dtype=object).mask(rng.random(rows) < 0.05),
            "Cabin": [
                f"{deck}/{g}/{'PS'[g % 2]}" for deck, g in zip(rng.choice([*"BFG"], rows), group)
            ],
            "Destination": rng.choice(["TRAPPIST-1e", "55 Cancri e"], rows),
            "Age": pd.Series(rng.integers(1, 80, rows), dtype=float).mask(rng.random(rows) < 0.05),
            "VIP": rng.random(rows) < 0.05,
            **dict.fromkeys(("RoomService", "FoodCourt", "ShoppingMall", "Spa", "VRDeck"), spent),
            "Name": [f"Passenger {k}" for k in range(rows)],
            "Transported": np.where(rng.random(rows) < 0.8, asleep, ~asleep),
        }
    )
    write_csv(passengers, raw / "train.csv")
