"""Made-up raw data of Detecting Insults in Social Commentary."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import write_csv

MEAN = ("you are a fool, %s", r"you\xa0idiot! %s", 'shut up, "expert" of %s')
KIND = ("I agree, %s", r"thanks for the link\n\n%s", 'well, "%s" is a matter of taste')


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    insulting = rng.permutation(np.arange(rows) % 3 == 0)
    comments = pd.DataFrame(
        {
            "Insult": insulting.astype(int),
            "Date": [_date(rng) for _ in range(rows)],
            "Comment": [_comment(rng, *numbered) for numbered in enumerate(insulting)],
        }
    )
    train, test = comments[:60], comments[60:]
    usage = rng.choice(["PublicTest", "PrivateTest"], len(test))
    write_csv(train, raw / "train.csv", lineterminator="\r\n")  # copied byte by byte
    write_csv(test.assign(Usage=usage), raw / "test_with_solutions.csv")


def _date(rng: np.random.Generator) -> str:
    """A moment, which is often not known."""
    month, day, hour, minute = rng.integers((1, 1, 0, 0), (13, 29, 24, 60))
    return f"2012{month:02d}{day:02d}{hour:02d}{minute:02d}00Z" if rng.random() < 0.8 else ""


def _comment(rng: np.random.Generator, number: int, is_insult: bool) -> str:
    """A comment of its own, in the quotes that belong to it."""
    form = rng.choice(MEAN if is_insult else KIND)
    return f'"{form % sentence(rng)} (#{number})"'
