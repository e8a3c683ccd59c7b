"""Billion Word Imputation: which word is missing from a sentence, and where?"""

from io import TextIOWrapper
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.texts import mean_levenshtein
from mlebench.preparing.archives import open_member, pack, packing
from mlebench.preparing.tables import read_csv, write_csv, write_text
from mlebench.submission import Submission, Text, parse_answers

TRAIN = "train_v2.txt"
TEST = "test_v2.txt"
TEST_SHARE = 0.01
HEADER = '"id","sentence"\n'
SENTENCE = Text("sentence", may_be_missing=False)

SUBMISSION = Submission(key="id", columns=(SENTENCE,))


def prepare(raw: Path, public: Path, private: Path) -> None:
    _prepare(raw, public, private, blanks_as_they_are=True)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # Participants cannot know how many blanks there were.
    _prepare(raw, public, private, blanks_as_they_are=False)
    sample = read_csv(private / "sample_submission.csv", keep_default_na=False)
    write_csv(sample, public / "sample_submission.csv")


def _prepare(raw: Path, public: Path, private: Path, *, blanks_as_they_are: bool) -> None:
    random = np.random.RandomState(0)
    whole, damaged = [HEADER], [HEADER]
    with (
        open_member(raw / f"{TRAIN}.zip", TRAIN) as source,
        TextIOWrapper(source, encoding="utf-8") as lines,
        packing(public / f"{TRAIN}.zip", TRAIN) as target,
        TextIOWrapper(target, encoding="utf-8", newline="\n") as train,
    ):
        for line in lines:
            is_chosen = random.uniform() <= TEST_SHARE
            words = line.replace('"', '""').split() if is_chosen else []
            if len(words) < 3:
                train.write(line)
                continue
            as_it_is = line.strip().replace('"', '""')
            sentence = as_it_is if blanks_as_they_are else " ".join(words)
            whole.append(f'{len(whole) - 1},"{sentence}"\n')
            del words[random.randint(1, len(words) - 1)]  # neither the first nor the last
            damaged.append(f'{len(damaged) - 1},"{" ".join(words)}"\n')
    write_text("".join(whole), private / "test.csv")
    write_text("".join(damaged), private / "sample_submission.csv")
    pack(public / f"{TEST}.zip", {TEST: private / "sample_submission.csv"})


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return mean_levenshtein(parse_answers(SENTENCE, truth), predicted["sentence"])
