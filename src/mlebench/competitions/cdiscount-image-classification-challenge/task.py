"""Cdiscount's Image Classification Challenge: what kind of product do the photographs show?"""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.classification import accuracy
from mlebench.preparing.bson import (
    divide_documents,
    read_documents,
    read_numbers,
    write_documents,
)
from mlebench.preparing.files import place
from mlebench.preparing.partitions import partition_rows
from mlebench.preparing.tables import write_csv
from mlebench.submission import Label, Submission

KEY, TARGET = "_id", "category_id"
GUESS = 1000010653
EXAMPLES = 100

SUBMISSION = Submission(key=KEY, columns=(Label(TARGET, words_are_wrong=True),))
SUBMISSION_V2 = replace(SUBMISSION, columns=(Label(TARGET),))


def prepare(raw: Path, public: Path, private: Path) -> None:
    # These are 58 GB: first the numbers alone are looked for, then all is read once.
    source, train = raw / "train.bson", public / "train.bson"
    numbers = read_numbers(source, (KEY, TARGET))
    products = pd.DataFrame(np.fromiter(numbers, [(KEY, np.int64), (TARGET, np.int64)]))
    _, test = partition_rows(products, test_size=0.1)
    answers = test.sort_values(KEY)
    write_csv(answers, private / "answers.csv")
    write_csv(answers.assign(**{TARGET: GUESS}), public / "sample_submission.csv")
    is_test = products.index.isin(test.index)
    divide_documents(source, is_test, train, public / "test.bson", leave_out=TARGET)
    write_documents(public / "train_example.bson", islice(read_documents(train), EXAMPLES))
    place(raw / "category_names.csv", public / "category_names.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return accuracy(truth[TARGET], predicted[TARGET])
