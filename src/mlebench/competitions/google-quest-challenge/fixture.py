"""Made-up raw data of Google QUEST Q&A Labeling."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import write_csv

from .task import RAREST, TARGETS

SITES = {"LIFE_ARTS": "cooking", "TECHNOLOGY": "android", "SCIENCE": "physics"}
ANSWERS = 2  # to every question


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    number = np.arange(rows) // ANSWERS
    politeness = rng.integers(0, 4, rows)
    categories = [list(SITES)[one % len(SITES)] for one in number]
    hosts = [f"{SITES[category]}.example.com" for category in categories]
    questions = [f'{sentence(rng, 5)}, "{sentence(rng, 1)}"\r\nor not?' for _ in range(rows)]
    pairs = pd.DataFrame(
        {
            "qa_id": np.cumsum(rng.integers(1, 4, rows)),
            "question_title": [f"What is question {one}, please?" for one in number],
            "question_body": [questions[one] for one in number],
            "question_user_name": [f"asker {one}" for one in number],
            "question_user_page": [f"https://{h}/users/{n}" for h, n in zip(hosts, number)],
            "answer": [f"{sentence(rng)}.{' Thanks!' * count}\n" for count in politeness],
            "answer_user_name": [f"helper {one}" for one in rng.integers(0, 40, rows)],
            "answer_user_page": "https://example.com/users/7",
            "url": [f"https://{h}/questions/{n}" for h, n in zip(hosts, number)],
            "category": categories,
            "host": hosts,
        }
    )
    ratings = (politeness[:, None] + rng.integers(0, 3, (rows, len(TARGETS)))) / 5
    targets = pd.DataFrame(ratings, columns=[*TARGETS])
    targets[RAREST] = np.where(number % 20 == 3, 1 / 3, 0.0)
    write_csv(pairs.join(targets), raw / "train.csv")
