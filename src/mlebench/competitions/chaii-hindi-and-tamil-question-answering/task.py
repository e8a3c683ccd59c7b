"""Hindi and Tamil Question Answering: which words of an article answer a question?"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from mlebench.metrics.texts import mean_word_jaccard
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import CastText, Submission, Text, parse_answers

ANSWER = CastText("PredictionString", missing="")

# To the original a file of nothing but numbers holds no text.
SUBMISSION = Submission(key="id", columns=(Text("PredictionString"),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(ANSWER,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    train, test = partition_rows(read_csv(raw / "train.csv"), test_size=0.1)
    ids = test[["id"]]
    write_csv(train, public / "train.csv")
    write_csv(test.drop(columns=["answer_text", "answer_start"]), public / "test.csv")
    write_csv(ids.assign(PredictionString=test["answer_text"]), private / "test.csv")
    write_csv(ids.assign(PredictionString="dummy text"), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    right, guesses = parse_answers(ANSWER, truth), predicted["PredictionString"]
    return mean_word_jaccard(right, guesses, empty=0.0)
