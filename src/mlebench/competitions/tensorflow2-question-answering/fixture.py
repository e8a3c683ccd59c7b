"""Made-up raw data of TensorFlow 2.0 Question Answering."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from .task import CHUNK


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(-(2**63), 2**63, CHUNK + 30)
    lines = [json.dumps(_question(rng, int(number))) + "\n" for number in ids]
    (raw / "simplified-nq-train.jsonl").write_text("".join(lines))


def _question(rng: np.random.Generator, number: int) -> dict[str, Any]:
    """A question about an article of one heading and two paragraphs of six tokens."""
    subject, year = rng.choice(["Zoë", "W/E", '"Ark"', "東京"]), str(rng.integers(1900, 2020))
    start = int(rng.choice([-1, 5, 11]))
    end = start if start == -1 else start + 6
    kind = rng.choice(["nothing", "YES", "NO", "span", "spans"]) if start != -1 else "nothing"
    spans = {"span": [(3, 4)], "spans": [(3, 4), (2, 4)]}.get(str(kind), [])
    return {
        "document_text": f"<H1> {subject} | Wiki </H1> "
        f"<P> born in {year} , </P> <P> built in {year} . </P>",
        "long_answer_candidates": [
            {"start_token": first, "top_level": True, "end_token": first + 6} for first in (5, 11)
        ],
        "question_text": f"when was {subject} {'born' if start == 5 else 'built'}",
        "annotations": [
            {
                "yes_no_answer": kind if kind in ("YES", "NO") else "NONE",
                "long_answer": {
                    "start_token": start,
                    "candidate_index": (-1, 5, 11).index(start) - 1,
                    "end_token": end,
                },
                "short_answers": [
                    {"start_token": start + first, "end_token": start + last}
                    for first, last in spans
                ],
                "annotation_id": int(rng.integers(2**64, dtype=np.uint64)),
            }
        ],
        "document_url": f"https://en.wikipedia.org/wiki/{subject}",
        "example_id": number,
    }
