"""Made-up raw data of Jigsaw Unintended Bias in Toxicity Classification."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import write_csv

from .task import IDENTITIES

OTHER_IDENTITIES = (
    "asian", "atheist", "bisexual", "buddhist", "heterosexual", "hindu",
    "intellectual_or_learning_disability", "latino", "other_disability", "other_gender",
    "other_race_or_ethnicity", "other_religion", "other_sexual_orientation",
    "physical_disability", "transgender",
)  # fmt: skip
KINDS = ("severe_toxicity", "obscene", "identity_attack", "insult", "threat", "sexual_explicit")
COUNTS = ("funny", "wow", "sad", "likes", "disagree")
SHARES = np.array([0, 1 / 6, 0.2, 0.4, 0.5, 2 / 3, 0.8, 1])


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    train = _comments(rng, 40).rename(columns={"toxicity": "target"})
    train.insert(1, "target", train.pop("target"))
    write_csv(train, raw / "train.csv")
    write_csv(_comments(rng, 200), raw / "test_private_expanded.csv")


def _comments(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    toxicity = rng.choice(SHARES, rows)
    identities = pd.DataFrame(
        rng.choice(SHARES, (rows, 24)), columns=[*IDENTITIES, *OTHER_IDENTITIES]
    )
    identities[rng.random(rows) < 0.3] = np.nan  # nobody was asked
    comments = pd.DataFrame(
        {
            "id": 7_000_000 + np.cumsum(rng.integers(1, 90, rows)),
            "comment_text": [_text(rng, share) for share in toxicity],
            "created_date": "2017-06-18 05:29:01.355271+00",
            "publication_id": rng.integers(2, 120, rows),
            "parent_id": np.where(rng.random(rows) < 0.5, np.nan, rng.integers(1, 10**6, rows)),
            "article_id": rng.integers(1000, 400_000, rows),
            "rating": np.where(toxicity > 0.7, "rejected", "approved"),
            **{name: rng.integers(0, 5, rows) for name in COUNTS},
            "toxicity": toxicity,
            **{name: toxicity * rng.choice(SHARES, rows) for name in KINDS},
            "identity_annotator_count": rng.integers(0, 9, rows),
            "toxicity_annotator_count": rng.integers(4, 60, rows),
        }
    )
    comments.loc[3, "comment_text"] = "NA"  # is read as missing
    return comments.join(identities)


def _text(rng: np.random.Generator, toxicity: float) -> str:
    """The more toxic, the more shouting."""
    return f'"{sentence(rng, 4)}", he said.\n{"RUBBISH! " * round(6 * toxicity)}{sentence(rng, 2)}'
