"""Made-up raw data of Movie Review Sentiment Analysis."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import sentence
from mlebench.preparing.tables import write_zipped_csv

from .task import LABELS, NEUTRAL

SENTENCES = 24
VERDICTS = ("a dreadful bore", "rather weak", "an ordinary film", "quite likeable", "brilliant")
# Both are phrases of the real data that pandas takes for missing values.
WORDS = ("null", "None")


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    phrases = []
    for number, label in enumerate(rng.permutation(np.resize(LABELS, SENTENCES)), start=1):
        subject, verdict = sentence(rng, 3), VERDICTS[label]
        phrases += [
            (number, f"The {subject}, it 's {verdict} .", label),
            (number, f"it 's {verdict} after {sentence(rng, 1)}", label),
            (number, f"{verdict} , {sentence(rng, 2)}", label),
            (number, f"The {subject}", NEUTRAL),
        ]
    phrases += [(SENTENCES, word, NEUTRAL) for word in WORDS]
    table = pd.DataFrame(phrases, columns=["SentenceId", "Phrase", "Sentiment"])
    table.insert(0, "PhraseId", range(1, len(table) + 1))
    write_zipped_csv(table, raw / "train.tsv.zip", sep="\t")
