"""Made-up raw data of LMSYS - Chatbot Arena."""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import one_hot, write_csv

from .task import OUTCOMES

MODELS = ("quartz-7b-chat", "quartz-70b", "basalt-1.5", "lava-instruct")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 100
    outcomes = rng.permutation(np.resize(OUTCOMES, rows))
    turns = rng.integers(1, 4, rows)
    models = [rng.choice(MODELS, 2, replace=False) for _ in range(rows)]
    battles = pd.DataFrame(
        {
            "id": 30_000 + np.cumsum(rng.integers(1, 10**6, rows)),
            "model_a": [first for first, _ in models],
            "model_b": [second for _, second in models],
            "prompt": [_prompts(rng, count) for count in turns],
            "response_a": _responses(rng, outcomes, turns, loser="winner_model_b"),
            "response_b": _responses(rng, outcomes, turns, loser="winner_model_a"),
        }
    )
    write_csv(battles.join(one_hot(pd.Series(outcomes), OUTCOMES)), raw / "train.csv")


def _prompts(rng: np.random.Generator, count: int) -> str:
    """A list of questions with all that makes csv and JSON hard to read."""
    wishes = ['explain "%s", please', "what is\nthe %s?", "r\u00e9sum\u00e9: %s \U0001f600", "%s"]
    return json.dumps([rng.choice(wishes) % sentence(rng, 3) for _ in range(count)])


def _responses(
    rng: np.random.Generator, outcomes: np.ndarray, turns: np.ndarray, loser: str
) -> list[str]:
    """A list of answers for each battle; who loses is short of words."""
    return [
        json.dumps([sentence(rng, 2 if outcome == loser else 9) + ".\n" for _ in range(count)])
        for outcome, count in zip(outcomes, turns)
    ]
