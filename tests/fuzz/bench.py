"""One case: mlebench's verdict and score against the oracle's."""

from __future__ import annotations

import json
import math
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.grading.validation import validate
from mlebench.registry import Registry
from mlebench.registry.competition import Competition
from mlebench.registry.task import Task
from tests.fuzz.judges import DONT_CARE, JUDGES, load_answers
from tests.fuzz.mutations import Case, make_case
from tests.fuzz.reading import DontCareError, InvalidError, read
from tests.fuzz.tables import Table

# Names, rows and a few cells; never the content of a huge cell.
LONGEST_MESSAGE = 2500
RANDOM_BASES = 3

Kind = Literal["invalid", "scored", "don't care"]
T = TypeVar("T")


@dataclass(frozen=True)
class Opinion:
    """What one side says about a file; the score of a don't care is the only one allowed."""

    kind: Kind
    score: float = math.nan
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.score if self.kind == 'scored' else ''} {self.detail}"


class DisagreementError(Exception):
    """A case that shows a fault."""


@dataclass(frozen=True)
class Bench:
    """A competition prepared from made-up data, with everything in memory."""

    competition: Competition

    @property
    def task(self) -> Task:
        """The functions under test."""
        assert self.competition.task is not None
        return self.competition.task

    @cached_property
    def answers(self) -> Any:
        """The answers as mlebench reads them."""
        return self.task.read_answers(self.competition.answers)

    @cached_property
    def oracle_answers(self) -> Any:
        """The answers as the oracle reads them."""
        return load_answers(self.competition.answers)

    @cached_property
    def bases(self) -> list[Table]:
        """Good submissions: gold, sample and random ones."""
        schema = self.task.submission
        paths = (self.competition.gold_submission, self.competition.sample_submission)
        gold, sample = (schema.under_own_names(_read_text(path))[schema.names] for path in paths)
        rng = np.random.default_rng(0)
        public = self.task.public(self.answers)
        examples = [schema.example(public, rng) for _ in range(RANDOM_BASES)]
        return [
            [list(frame.columns), *frame.astype(str).to_numpy().tolist()]
            for frame in (gold, sample, *examples)
        ]

    def make(self, seed: int, number: int) -> Case:
        """A case of this competition."""
        return make_case(self.competition.id, seed, number, self.bases)

    def check(self, path: Path, *, validating: bool = True) -> Kind:
        """Judge a file twice; on request see whether validation agrees with grading.

        Raises:
            DisagreementError: mlebench fails, warns, contradicts itself or the oracle.
        """
        expected = self.expected(path)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = _quietly(lambda: self._grade(path))
            scored = found.kind == "scored"
            valid = _quietly(lambda: self._validate(path)) if validating else scored
        if caught:
            raise DisagreementError(f"warns: {caught[0].message}")
        # A stricter validation may refuse what is graded, but never the reverse.
        is_stricter = self.task.validation is not self.task.submission
        if valid != scored and not (scored and is_stricter):
            raise DisagreementError(f"validate says {valid}, grading {found}")
        if expected.kind == "don't care":
            open_score = math.isnan(expected.score)
            if scored and not open_score and not _same(found.score, expected.score):
                raise DisagreementError(f"mlebench: {found}; oracle: {expected}")
            return "don't care"
        if found.kind != expected.kind or not _same(found.score, expected.score):
            raise DisagreementError(f"mlebench: {found}; oracle: {expected}")
        return found.kind

    def expected(self, path: Path) -> Opinion:
        """The oracle's opinion."""
        try:
            score = JUDGES[self.competition.id](read(path), self.oracle_answers)
        except InvalidError as error:
            return Opinion("invalid", detail=str(error))
        except DontCareError as error:
            detail = DONT_CARE[str(error)]
            return Opinion("don't care", math.nan if error.score is None else error.score, detail)
        return Opinion("scored", score)

    def _grade(self, path: Path) -> Opinion:
        try:
            return Opinion("scored", self.task.grade(self.task.read_submitted(path), self.answers))
        except InvalidSubmissionError as error:
            _check_message(error)
            return Opinion("invalid", detail=f"{error.code}: {error}")

    def _validate(self, path: Path) -> bool:
        # The answers do not change: reading them once is enough.
        vars(self.task)["read_answers"] = lambda _, **__: self.answers
        try:
            return validate(path, self.competition).is_valid
        finally:
            del vars(self.task)["read_answers"]


def open_bench(competition_id: str, data_dir: Path) -> Bench:
    """The bench of a competition that was prepared in a data folder."""
    return Bench(Registry(data_dir, ()).get_competition(competition_id))


def _read_text(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _quietly(call: Callable[[], T]) -> T:
    """The result of a call; an exception is a fault, with its traceback."""
    try:
        return call()
    except DisagreementError:
        raise
    except Exception as error:
        raise DisagreementError(traceback.format_exc()) from error


def _check_message(error: InvalidSubmissionError) -> None:
    """A refusal must be short, have a code and survive being written to a report."""
    if not str(error) or not error.code or len(str(error)) > LONGEST_MESSAGE:
        raise DisagreementError(f"{len(str(error))} characters of message, code {error.code!r}")
    json.dumps(error.to_dict(), ensure_ascii=False).encode()


def _same(first: float, second: float) -> bool:
    """Equal to five decimals; neighbours are equal if only the rounding parts them."""
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) and math.isnan(second)
    return round(first, 5) == round(second, 5) or math.isclose(
        first, second, rel_tol=1e-9, abs_tol=1e-9
    )
