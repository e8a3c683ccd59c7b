"""TensorFlow 2.0 Question Answering: where in the article is the answer, if anywhere?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.preparing.partitions import partition_list
from mlebench.preparing.tables import append_jsonl, read_jsonl, write_csv
from mlebench.submission import Submission, Text, Trial, parse_each

CHUNK = 1000
TEST_FIELDS = ("example_id", "question_text", "document_text", "long_answer_candidates")


@dataclass(frozen=True)
class Answer(Text):
    """A span of tokens, YES, NO or nothing."""

    def parse(self, cells: pd.Series, public: pd.DataFrame) -> pd.Series:
        """Answers in one spelling, so that equal ones are equal texts."""
        texts = super().parse(cells, public)
        return parse_each(self.name, "bad_answer", texts, self.normalise)

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

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Spans, words and blanks in equal shares."""
        starts, kinds = rng.integers(0, 500, len(public)), rng.integers(0, 3, len(public))
        answers = [(f"{start}:{start + 5}", "YES", "") for start in starts]
        return [answer[kind] for answer, kind in zip(answers, kinds)]

    def trials(self) -> Iterator[Trial]:
        """Nothing, and what is almost an answer."""
        yield Trial("an empty cell", "", True)
        yield Trial("another word", "MAYBE", False)
        yield Trial("a span of words", "here:there", False)


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
        train, test = partition_list(chunk, test_size=0.1)
        questions = [{field: record[field] for field in TEST_FIELDS} for record in test]
        append_jsonl(train, train_file)
        append_jsonl(questions, test_file)
        append_jsonl(test, answers_file)
        right.append(answer_table(test))
    rows = pd.concat(right)
    ids = rows[["example_id"]]
    write_csv(ids.assign(PredictionString=rows["right"].str[0]), private / "gold_submission.csv")
    write_csv(ids.assign(PredictionString=""), public / "sample_submission.csv")


def public_table(answers: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """The two rows that are asked for each question."""
    ids = [f"{record['example_id']}_{kind}" for record in answers for kind in ("short", "long")]
    return pd.DataFrame({"example_id": ids})


def answer_table(answers: Iterable[dict[str, Any]]) -> pd.DataFrame:
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
