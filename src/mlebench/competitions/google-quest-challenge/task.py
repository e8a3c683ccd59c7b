"""Google QUEST Q&A Labeling: how do people rate a question and its answer?"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.metrics.regression import spearman
from mlebench.preparing.partitions import partition_by_value, partition_positions
from mlebench.preparing.tables import read_csv, write_csv
from mlebench.submission import ExactKey, Number, SortedOnly, Submission, Trial

TARGETS = (
    "question_asker_intent_understanding", "question_body_critical", "question_conversational",
    "question_expect_short_answer", "question_fact_seeking",
    "question_has_commonly_accepted_answer", "question_interestingness_others",
    "question_interestingness_self", "question_multi_intent", "question_not_really_a_question",
    "question_opinion_seeking", "question_type_choice", "question_type_compare",
    "question_type_consequence", "question_type_definition", "question_type_entity",
    "question_type_instructions", "question_type_procedure", "question_type_reason_explanation",
    "question_type_spelling", "question_well_written", "answer_helpful",
    "answer_level_of_information", "answer_plausible", "answer_relevance", "answer_satisfaction",
    "answer_type_instructions", "answer_type_procedure", "answer_type_reason_explanation",
    "answer_well_written",
)  # fmt: skip
RAREST = "question_type_spelling"


@dataclass(frozen=True)
class Rankable(Number):
    """Numbers or words; all that matters is how they sort."""

    may_be_missing: bool = True
    may_be_infinite: bool = True

    def parse(self, cells: pd.Series, public: pd.DataFrame) -> pd.Series:
        """The numbers; if there is a word among them, the place of each text in the alphabet."""
        if pd.api.types.is_numeric_dtype(cells):
            return super().parse(cells, public)
        places, _ = pd.factorize(cells.astype(object), sort=True)
        return pd.Series(np.where(places < 0, np.nan, places), index=cells.index)

    def trials(self) -> Iterator[Trial]:
        """Those of numbers; a word passes."""
        yield from (trial._replace(is_valid=True) for trial in super().trials())


# Ids are not compared: both tables are sorted by theirs.
SUBMISSION = Submission(
    key="qa_id",
    columns=tuple(Rankable(target) for target in TARGETS),
    matching=SortedOnly(),
    only_these_columns=True,
)
SUBMISSION_V2 = replace(
    SUBMISSION, columns=tuple(Number(target) for target in TARGETS), matching=ExactKey()
)


def prepare(raw: Path, public: Path, private: Path) -> None:
    pairs = read_csv(raw / "train.csv")
    train, test = partition_positions(len(pairs), test_size=0.1)
    rare = pairs[RAREST].to_numpy()
    if len(np.unique(rare[test])) == 1:  # no correlation without a difference
        other = np.flatnonzero(rare[train])[0]
        train[other], test[0] = test[0], train[other]
    _write(pairs.iloc[train], pairs.iloc[test], public, private)


def prepare_v2(raw: Path, public: Path, private: Path) -> None:
    # A question with several answers must not be on both sides.
    train, test = partition_by_value(read_csv(raw / "train.csv"), by="url", test_size=0.1)
    _write(train, test, public, private)


def _write(train: pd.DataFrame, test: pd.DataFrame, public: Path, private: Path) -> None:
    ids, ramp = test[["qa_id"]], np.linspace(0, 1, len(test))
    write_csv(train, public / "train.csv")
    write_csv(test[["qa_id", *TARGETS]], private / "test.csv")
    write_csv(test.drop(columns=[*TARGETS]), public / "test.csv")
    write_csv(ids.assign(**dict.fromkeys(TARGETS, ramp)), public / "sample_submission.csv")


def score(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    return float(np.mean([spearman(truth[target], predicted[target]) for target in TARGETS]))


def score_v2(truth: pd.DataFrame, predicted: pd.DataFrame) -> float:
    scored = [target for target in TARGETS if truth[target].nunique() > 1]
    correlations = [spearman(truth[target], predicted[target]) for target in scored]
    return float(np.mean(np.nan_to_num(correlations)))  # that of a constant prediction is none
