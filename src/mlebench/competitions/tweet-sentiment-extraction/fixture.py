"""Made-up raw data of Tweet Sentiment Extraction."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids, sentence
from mlebench.preparing.tables import write_csv

PHRASES = {
    "positive": ("I LOVE it!!", "so happy,  really", "best day 😀"),
    "negative": ("I hate this...", 'my "luck" again', "soooo sad :("),
    "neutral": ("",),
}
REMAINS = (" http://example.org/x?y=1", "", ", café ", " @someone ")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 90
    feelings = rng.permutation(np.resize([*PHRASES], rows))
    phrases = [str(rng.choice(PHRASES[feeling])) for feeling in feelings]
    tweets = [
        f"{sentence(rng, 3).title()} {phrase}{REMAINS[number % len(REMAINS)]}"
        for number, phrase in enumerate(phrases)
    ]
    table = pd.DataFrame(
        {
            "textID": hex_ids(rng, rows, 10),
            "text": tweets,
            # All of a neutral tweet is what makes it neutral.
            "selected_text": [phrase or tweet for phrase, tweet in zip(phrases, tweets)],
            "sentiment": feelings,
        }
    )
    # Like the one empty tweet of the real data, which is used for training.
    table.loc[rows - 1, ["text", "selected_text", "sentiment"]] = ["", "", "neutral"]
    write_csv(table, raw / "train.csv")
