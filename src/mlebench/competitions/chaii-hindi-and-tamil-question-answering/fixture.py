"""Made-up raw data of Hindi and Tamil Question Answering."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.fixtures.words import hex_ids
from mlebench.preparing.tables import write_csv

WORDS = {
    "hindi": ("नदी", "पहाड़", "शहर", "किताब", "राजा", "सूरज", "पानी", "गाँव"),
    "tamil": ("ஆறு", "மலை", "நகரம்", "நூல்", "அரசர்", "சூரியன்", "நீர்", "கிராமம்"),
}
QUESTIONS = {"hindi": "{}, क्या है?", "tamil": "{} என்ன?"}


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 100
    passages = [_passage(rng, language) for language in np.resize([*WORDS], rows)]
    table = pd.DataFrame(passages)
    table.insert(0, "id", hex_ids(rng, rows, 9))
    write_csv(table, raw / "train.csv")


def _passage(rng: np.random.Generator, language: str) -> dict[str, object]:
    """An article in which the answer is what stands in quotes behind the subject."""
    subject, before, after = rng.choice(WORDS[language], 3, replace=False)
    answer = " ".join([*rng.choice(WORDS[language], rng.integers(1, 3)), f"{rng.integers(2000)}"])
    context = f'{before}, {before} 1\n{subject} "{answer}" {after}.'
    return {
        "context": context,
        "question": QUESTIONS[language].format(subject),
        "answer_text": answer,
        "answer_start": context.index(answer),
        "language": language,
    }
