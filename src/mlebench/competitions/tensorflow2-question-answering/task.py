"""TensorFlow 2.0 Question Answering: where in the article is the answer, if anywhere?"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.splits import split_list
from mlebench.submission import Submission, Text
from mlebench.submission.columns import parse_each
from mlebench.tables import append_jsonl, read_jsonl, write_csv

CHUNK = 1000
TEST_FIELDS = ("example_id", "question_text", "document_text", "long_answer_candidates")


@dataclass(frozen=True)
class Answer(Text):
    """A span of tokens, YES, NO or nothing."""

    def parse(self, cells: pd.Series) -> pd.Series:
        """Answers in one spelling, so that equal ones are equal texts."""
        return parse_each(self.name, "bad_answer", super().parse(cells), self.normalise)

    @staticmethod
    def normalise(text: str) -> str:
        """One answer without its liberties of spelling.

        Raises:
            ValueError: The text is no answer.
        """
        answer = text.strip()
        if answer.count(":") != 1:
            if answer not in ("YES", "NO", ""):
                raise ValueError("expected `start:end`, YES, NO or nothing")
            return answer
        try:
            start, end = map(int, answer.split(":"))
        except ValueError as error:
            raise ValueError("start and end of a span must be whole numbers") from error
        return f"{start}:{end}"

    def describe(self) -> str:
        """What a cell may hold."""
        return "`start:end` in tokens, `YES`, `NO`, or empty for no answer"

    def example(self, rng: np.random.Generator, rows: int) -> list[Any]:
        """Spans, words and blanks in equal shares."""
        starts = rng.integers(0, 500, rows)
        answers = [(f"{start}:{start + 5}", "YES", "") for start in starts]
        return [answer[kind] for answer, kind in zip(answers, rng.integers(0, 3, rows))]


SUBMISSION = Submission(key="example_id", columns=(Answer("PredictionString"),))
ANSWER_COLUMNS = ("example_id", "annotations")  # the articles would fill the memory


def prepare(raw: Path, public: Path, private: Path) -> None:
    train_file = public / "simplified-nq-train.jsonl"
    test_file = public / "simplified-nq-test.jsonl"
    answers_file = private / "test.jsonl"
    for path in (train_file, test_file, answers_file):
        path.unlink(missing_ok=True)
    records = (
        record | {"example_id": str(record["example_id"])}
        for record in read_jsonl(raw / "simplified-nq-train.jsonl")
    )
    right = []
    while chunk := list(islice(records, CHUNK)):
        train, test = split_list(chunk, test_size=0.1)
        questions = [{field: record[field] for field in TEST_FIELDS} for record in test]
        append_jsonl(train, train_file)
        append_jsonl(questions, test_file)
        append_jsonl(test, answers_file)
        right.append(truth(test))
    rows = pd.concat(right)
    ids = rows[["example_id"]]
    write_csv(ids.assign(PredictionString=rows["right"].str[0]), private / "gold_submission.csv")
    write_csv(ids.assign(PredictionString=""), public / "sample_submission.csv")


def truth(answers: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """Two rows a question with everything that is right there, the best answer first."""
    rows = [row for record in answers for row in _right_answers(record)]
    return pd.DataFrame(rows, columns=["example_id", "right"])


def _right_answers(record: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    (annotation,) = record["annotations"]
    words = [word for word in [annotation["yes_no_answer"]] if word != "NONE"]
    shorts = [_span(short) for short in annotation["short_answers"]]
    long = annotation["long_answer"]
    longs = [_span(long)] if long["start_token"] != -1 else []
    yield f"{record['example_id']}_short", words + shorts or [""]
    yield f"{record['example_id']}_long", longs or [""]


def _span(tokens: dict[str, int]) -> str:
    return f"{tokens['start_token']}:{tokens['end_token']}"


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    # Micro F1 over "answered" and "left blank" is nothing but accuracy.
    return float(_hits(truth, predicted).mean())


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    hit, given = _hits(truth, predicted), (predicted["PredictionString"] != "").to_numpy()
    right, wrong, missed = (hit & given).sum(), (~hit & given).sum(), (~hit & ~given).sum()
    return float(2 * right / max(2 * right + wrong + missed, 1))


def _hits(truth: pd.DataFrame, predicted: pd.DataFrame) -> np.ndarray:
    pairs = zip(predicted["PredictionString"], truth["right"])
    return np.array([guess in right for guess, right in pairs])


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
