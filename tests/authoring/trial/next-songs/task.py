"""Next songs: a ranked list for each listener, against several rows of truth."""

from pathlib import Path

import pandas as pd

from mlebench.metrics.ranking import mean_average_precision_at_k
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import Submission, TokenList

GUESSES = 3

SUBMISSION = Submission(key="listener", columns=(TokenList("songs", most=GUESSES),))
ANSWER_COLUMNS = ("listener", "song")


def prepare(raw: Path, public: Path, private: Path) -> None:
    """Hold the last session of every listener out."""
    plays = read_csv(raw / "plays.csv")
    last = plays.groupby("listener")["session"].transform("max")
    is_last = plays["session"] == last
    answers = plays.loc[is_last, [*ANSWER_COLUMNS]]
    listeners = answer_table(answers)
    write_csv(plays[~is_last], public / "plays.csv")
    write_csv(answers, private / "answers.csv")
    write_csv(listeners.assign(songs=listeners["songs"].map(" ".join)), private / "perfect.csv")
    write_csv(listeners.assign(songs="blue"), public / "sample_submission.csv")


def answer_table(answers: pd.DataFrame) -> pd.DataFrame:
    """One row for each listener, with the list of songs."""
    return answers.groupby("listener")["song"].agg(list).rename("songs").reset_index()


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    """A song that is guessed early is worth more."""
    return mean_average_precision_at_k(truth["songs"], predicted["songs"], k=GUESSES)
