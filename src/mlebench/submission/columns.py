"""What every kind of column offers, and the columns of numbers.

A column checks and converts its cells, says in a sentence what it expects, makes up valid
cells, and names cells that people get wrong. It sees the submitted cells and the public
columns of the answers (ids, sizes, lengths), never a label. Cells arrive paired with the
answers; their index holds the row numbers of the submitted file, so that every refusal can
name the first offending rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, NoReturn, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from mlebench.errors import ConfigError, DamagedAnswersError, InvalidSubmissionError
from mlebench.submission.refusals import is_text, refuse

LONGEST_NUMBER = 300

TRUE_WORDS = ("True", "TRUE", "true")
FALSE_WORDS = ("False", "FALSE", "false")


class Trial(NamedTuple):
    """A cell that people write, and whether it is valid."""

    name: str
    cell: str
    is_valid: bool


class Column(Protocol):
    """What a `Submission` needs of a column."""

    @property
    def name(self) -> str:
        """The column's name in the csv."""

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The public columns of the answers that its cells are checked against."""

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The values behind the cells; refuses what cannot be graded.

        Args:
            cells: The submitted cells.
            public: The public columns of the answers, row by row.
        """

    def describe(self) -> str:
        """What a cell may hold, for the documentation."""

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Random valid cells, one for each row of the public columns."""

    def trials(self) -> Iterator[Trial]:
        """Cells that are worth trying, one at a time, in an otherwise good submission."""


def parse_answers(column: Column, answers: pd.DataFrame) -> pd.Series[Any]:
    """The answers' own values of a column, in the form that predictions are parsed to.

    Raises:
        DamagedAnswersError: They cannot be parsed; what they hold is not told.
    """
    try:
        return column.parse(answers[column.name], answers)
    except (InvalidSubmissionError, KeyError):
        raise DamagedAnswersError(
            f"The prepared answers are damaged: column {column.name!r} cannot be read."
        ) from None


def choose(column: str, choices: Sequence[Any], rng: np.random.Generator, rows: int) -> list[Any]:
    """Choices at random, one for each row.

    Raises:
        ConfigError: There are none.
    """
    if not choices:
        raise ConfigError(f"Column {column!r} has no choices; name them: choices=(...).")
    return [choices[index] for index in rng.integers(0, len(choices), rows)]


@dataclass(frozen=True)
class Number:
    """A number; ``True`` and ``False`` count as 1 and 0, as they do for pandas.

    Attributes:
        name: The column's name.
        low: The smallest number allowed.
        high: The largest number allowed.
        whole: Fractions are refused.
        may_be_missing: Empty cells are graded.
        may_be_infinite: Infinite numbers are graded.
        may_be_truth: A column of truth values is graded.
    """

    name: str
    low: float | None = None
    high: float | None = None
    whole: bool = False
    may_be_missing: bool = False
    may_be_infinite: bool = False
    may_be_truth: bool = True

    is_read_as_floats: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse bounds that no number lies between."""
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ConfigError(
                f"{type(self).__name__}({self.name!r}): low={self.low:g} is above "
                f"high={self.high:g}, so that every number would be refused."
            )

    @property
    def public_columns(self) -> tuple[str, ...]:
        """A number stands for itself."""
        return ()

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The column as it was read, once every cell is an admissible number."""
        if is_text(cells):
            self._refuse_text(cells)
        values = cells.to_numpy()
        if values.dtype.kind == "b" and not self.may_be_truth:
            every = np.ones(len(cells), bool)
            refuse(self._code("not_a_number"), f"expected {self._noun}", self.name, cells, every)
        if not self._admits_extremes(values):
            self._check_each(cells, values)
        if self.whole and values.dtype.kind == "f":
            broken = (values != np.floor(values)) & ~np.isnan(values)
            if broken.any():
                refuse(self._code("not_whole"), f"expected {self._noun}", self.name, cells, broken)
        return cells

    def _refuse_text(self, cells: pd.Series[Any]) -> NoReturn:
        """Name the cells that keep the column from being one of numbers."""
        missing, texts = cells.isna(), cells.astype(str)
        booleans = texts.isin([*TRUE_WORDS, *FALSE_WORDS])
        # Whole numbers beyond 64 bits are text to pandas, and beyond floats an error.
        values = pd.to_numeric(texts.where(texts.str.len() < LONGEST_NUMBER), errors="coerce")
        numeric = values.notna() & (values.abs() < 2.0**63)
        if (words := ~(missing | numeric | booleans)).any():
            refuse(self._code("not_a_number"), f"expected {self._noun}", self.name, cells, words)
        if missing.any() and not self.may_be_missing:
            refuse("missing_value", "every row needs a value", self.name, cells, missing)
        if not booleans.any():
            refuse(self._code("not_a_number"), f"expected {self._noun}", self.name, cells, ~missing)
        refuse("mixed_types", "numbers and truth values are mixed", self.name, cells, booleans)

    @property
    def _noun(self) -> str:
        return "whole numbers" if self.whole else "numbers"

    def _code(self, code: str) -> str:
        return code

    def _admits_extremes(self, values: npt.NDArray[Any]) -> bool:
        """Whether the smallest and the largest number are admissible, and so are all others."""
        if not len(values):
            return True
        lowest, highest = values.min(), values.max()  # NaN if one of them is
        return bool(
            np.isfinite([lowest, highest]).all()
            and (self.low is None or lowest >= self.low)
            and (self.high is None or highest <= self.high)
        )

    def _check_each(self, cells: pd.Series[Any], values: npt.NDArray[Any]) -> None:
        if not self.may_be_missing and (missing := np.isnan(values)).any():
            refuse("missing_value", "every row needs a value", self.name, cells, missing)
        if not self.may_be_infinite and (infinite := np.isinf(values)).any():
            refuse("infinite_value", "values must be finite", self.name, cells, infinite)
        below = values < self.low if self.low is not None else False
        above = values > self.high if self.high is not None else False
        if (outside := np.asarray(below | above)).any():
            refuse("out_of_range", f"values must {self._range()}", self.name, cells, outside)

    def _range(self) -> str:
        if self.low is None:
            return f"not exceed {self.high:g}"
        if self.high is None:
            return f"be at least {self.low:g}"
        return f"lie between {self.low:g} and {self.high:g}"

    def describe(self) -> str:
        """What a cell may hold."""
        kind = "a whole number" if self.whole else "a number"
        bounded = self.low is not None or self.high is not None
        return f"{kind}; values must {self._range()}" if bounded else kind

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Numbers spread over the range, or around zero where there is none."""
        low = self.low if self.low is not None else (-3.0 if self.high is None else self.high - 6)
        high = self.high if self.high is not None else low + 6
        if self.whole:
            return [int(value) for value in rng.integers(int(low), int(high) + 1, len(public))]
        return [float(value) for value in rng.uniform(low, high, len(public))]

    def trials(self) -> Iterator[Trial]:
        """A word, nothing, infinity and what lies outside the range."""
        yield Trial("a word", "a lot", False)
        yield Trial("an empty cell", "", self.may_be_missing)
        yield Trial("infinity", "inf", self.may_be_infinite and self.high is None)
        if self.high is not None:
            yield Trial("too much", str(self.high + _a_step(self.high)), False)
        if self.low is not None:
            yield Trial("too little", str(self.low - _a_step(self.low)), False)
        if self.whole:
            yield Trial("a fraction", "0.5", False)


@dataclass(frozen=True)
class Ignored:
    """A column that must be there; what it holds is not looked at.

    Attributes:
        name: The column's name.
    """

    name: str

    @property
    def public_columns(self) -> tuple[str, ...]:
        """Nothing is compared with anything."""
        return ()

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The cells as they are."""
        return cells

    def describe(self) -> str:
        """What a cell may hold."""
        return "anything, it is not scored"

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Numbers, the least surprising of all things."""
        return list(range(len(public)))

    def trials(self) -> Iterator[Trial]:
        """What other columns refuse."""
        yield Trial("an empty cell", "", True)
        yield Trial("a word", "a lot", True)


def _a_step(bound: float) -> float:
    """What leads beyond a bound: one, or more where the bound is too large to notice it."""
    return max(1, abs(bound) / 1e9)


@dataclass(frozen=True)
class Label(Number):
    """One of a few numbers or truth values; a number outside the list is simply wrong.

    Attributes:
        choices: The labels, where there are few enough to be listed.
        words_are_wrong: Whether a column with a word in it is graded, as matching no label
            at all, instead of being refused.
    """

    whole: bool = True
    choices: tuple[int | bool, ...] = ()
    words_are_wrong: bool = False

    def __post_init__(self) -> None:
        """Refuse words, which are labels of another kind."""
        super().__post_init__()
        if words := [choice for choice in self.choices if isinstance(choice, str)]:
            raise ConfigError(
                f"Label({self.name!r}) is for numbers, and {words[0]!r} is a word; write TextLabel."
            )

    def parse(self, cells: pd.Series[Any], public: pd.DataFrame) -> pd.Series[Any]:
        """The labels; texts that no number equals, if there is a word among them."""
        if not (self.words_are_wrong and is_text(cells)):
            return super().parse(cells, public)
        if (missing := cells.isna()).any():
            refuse("missing_value", "every row needs a value", self.name, cells, missing)
        return cells.astype(object)

    @property
    def _noun(self) -> str:
        return self.describe()

    def _code(self, code: str) -> str:
        return "not_a_label"  # whatever it is instead

    def describe(self) -> str:
        """What a cell may hold."""
        if not self.choices:
            return "a whole number that names a class"
        return "one of " + ", ".join(f"`{choice}`" for choice in self.choices)

    def example(self, rng: np.random.Generator, public: pd.DataFrame) -> list[Any]:
        """Choices at random, or small numbers where there is no list."""
        return choose(self.name, self.choices or tuple(range(10)), rng, len(public))

    def trials(self) -> Iterator[Trial]:
        """Those of numbers; a word may be let pass."""
        for trial in super().trials():
            yield trial._replace(is_valid=trial.is_valid or self._passes_as_word(trial))

    def _passes_as_word(self, trial: Trial) -> bool:
        return self.words_are_wrong and trial.name == "a word"
