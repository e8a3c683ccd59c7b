"""The functions of a competition: ``task.py``, loaded when first needed.

A task module offers

- ``SUBMISSION``: what a submission must look like to get a score,
- ``prepare(raw, public, private)``: from raw data to what agents see and to the answers,
- ``score(truth, predicted)``: from paired tables to a number; a further parameter named
  ``rows`` gets the rows of the submitted file that the predictions come from, one named
  ``answers`` all answers, those that nothing was submitted for included,

and beside it ``fixture.py`` offers ``fixture(raw)``: tiny raw data with the real schema. Where
needed a task has in addition

- ``VALIDATION``: a stricter declaration for validation. Where a label decides in ``score``
  that a submission is refused, validation, which knows no labels, refuses by form alone all
  that might be;
- ``ANSWER_COLUMNS``: what to read of the answers, by default the submission's own columns;
- ``answer_table(answers)``: a table with the submission's key from answers that are none;
- ``public_table(answers)``: what participants know of the answers, where it is not a column.

Edition v2 uses ``score_v2``, ``SUBMISSION_V2`` and so on where they exist.

Grading is checking followed by ``score``; validation is checking alone. What is valid is
therefore gradable, and validating neither computes a score nor depends on a label.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mlebench.errors import (
    ConfigError,
    DamagedAnswersError,
    DataSourceError,
    GraderError,
    InvalidSubmissionError,
    MlebenchError,
    TaskError,
    TaskNotWrittenError,
    UnfittingAnswersError,
    damaged_answers,
)
from mlebench.preparing.bounds import bounded
from mlebench.registry.facts import FIXTURE_FILE, TASK_FILE, Edition
from mlebench.registry.loader import load_module
from mlebench.registry.mistakes import called, describe_mistake, place_in, told_apart
from mlebench.registry.signatures import as_score, check_fixture, check_prepare, check_score
from mlebench.registry.suggestions import command, own_dirs
from mlebench.side_by_side import side_by_side

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.submission import Expected, Submission

SMALL_FILE = 1_000_000


@dataclass(frozen=True)
class Task:
    """A competition folder's functions in one edition."""

    folder: Path
    edition: Edition = "v1"

    def __getstate__(self) -> dict[str, Any]:
        """Without the module, so that competitions can be copied and sent to other processes."""
        return {"folder": self.folder, "edition": self.edition}

    @property
    def is_written(self) -> bool:
        """Whether the competition can be prepared and graded."""
        return (self.folder / TASK_FILE).is_file()

    def require_written(self) -> None:
        """Raise unless the competition can be prepared and graded."""
        if not self.is_written:
            raise TaskNotWrittenError(
                f"{self.folder.name} is not written yet, it has no {TASK_FILE}; "
                f"`{command('competitions', '--ready')}` lists what can be prepared and graded."
            )

    @cached_property
    def module(self) -> ModuleType:
        """The task module."""
        self.require_written()
        return load_module(self.folder, "task")

    def has_own(self, name: str) -> bool:
        """Whether this edition has a part of the task module to itself."""
        return hasattr(self.module, self._own_name(name))

    @property
    def submission(self) -> Submission:
        """The declared form of a submission."""
        own = self._own_name("SUBMISSION")
        return self._declared(own if hasattr(self.module, own) else "SUBMISSION")

    def _declared(self, name: str) -> Submission:
        from mlebench.submission import Submission

        declared = self._get(name)
        if not isinstance(declared, Submission):
            raise ConfigError(f"{name} in {self.folder / TASK_FILE} is no Submission(...).")
        return declared

    @cached_property
    def validation(self) -> Submission:
        """What validation checks: the stricter declaration of this edition, if there is one."""
        newest_first = (self._own_name("VALIDATION"), self._own_name("SUBMISSION"), "VALIDATION")
        for name in newest_first:
            if getattr(self.module, name, None) is not None:
                return self._declared(name)
        return self.submission

    def prepare(self, raw: Path, public: Path, private: Path) -> None:
        """Turn raw data into the public files and the answers."""
        prepare = self._function("prepare")
        check_prepare(prepare, called(self.folder, "prepare", prepare))
        with bounded(raw, public, private, self.folder), told_apart(self.folder, "prepare"):
            prepare(raw=raw, public=public, private=private)

    def fixture(self, raw: Path) -> None:
        """Write tiny raw data with the schema of the real ones."""
        self.require_written()
        raw.mkdir(parents=True, exist_ok=True)
        make_up = self._in(load_module(self.folder, "fixture"), "fixture")
        if not callable(make_up):
            raise ConfigError(
                f"{self.folder / FIXTURE_FILE} does not define the function fixture(raw)."
            )
        where = called(self.folder, "fixture", make_up)
        check_fixture(make_up, where)
        with told_apart(self.folder, "fixture"):
            make_up(raw)
        if not any(raw.iterdir()):
            raise TaskError(f"{where} wrote no file into raw, the folder it is given.")

    def read(self, submitted: Path | bytes, answers: Path) -> tuple[pd.DataFrame, Any]:
        """Read a submitted file, or its content, and the answers side by side."""
        content, table = side_by_side(
            lambda: self.read_answers(answers),
            lambda: self.read_submitted(submitted),
            pays=answers.stat().st_size > SMALL_FILE,
        )
        return table, content

    def read_submitted(self, submitted: Path | bytes) -> pd.DataFrame:
        """Read a submitted csv, or its content, with the types the declaration expects."""
        from mlebench.submission import parse_table, read_table

        numbers = self.submission.number_names
        if isinstance(submitted, bytes):
            return parse_table(submitted, numbers)
        return read_table(submitted, numbers)

    def read_answers(self, path: Path, *, only_public: bool = False) -> Any:
        """Read the answers: a table, or the records of a jsonl, with what scoring needs.

        Raises:
            DamagedAnswersError: The file is not what preparing writes.
        """
        from mlebench.submission import read_table

        wanted = self._answer_columns or [*self.submission.names, *self._public_names]
        if only_public and not self._derives_tables:
            wanted = self._public_names
        try:
            if path.suffix == ".jsonl":
                return _select_fields(path, self._answer_columns)
            return read_table(path, numbers=self.submission.number_names, only=wanted)
        except (InvalidSubmissionError, DataSourceError, KeyError):
            raise damaged_answers(self.folder.name, "cannot be read") from None

    def validate(self, submitted: pd.DataFrame, answers: Any) -> None:
        """Check the form of a submission, without a score and without looking at a label.

        Args:
            submitted: The submitted table.
            answers: What `read_answers` returns, or `expect` made from it.

        Raises:
            InvalidSubmissionError: The submission might not be graded.
        """
        from mlebench.submission import Expected

        expected = answers if isinstance(answers, Expected) else self.public(answers)
        with self._checking():
            self.validation.check(submitted, expected)

    def expect(self, answers: Any) -> Expected:
        """What validation needs of the answers, made once for many submissions."""
        return self.validation.expect(self.public(answers))

    def public(self, answers: Any) -> pd.DataFrame:
        """The columns of the answers that checks may see.

        Raises:
            DamagedAnswersError: Some are not there, or have no rows.
        """
        hook = "public_table" if self._find("public_table") else "answer_table"
        table = self._table(hook, answers)
        if lacking := [name for name in self._public_names if name not in table.columns]:
            raise UnfittingAnswersError(
                f"The prepared answers of {self.folder.name} lack the column {lacking[0]!r}, which "
                f"SUBMISSION in {TASK_FILE} names."
            )
        if table.empty:
            raise DamagedAnswersError(f"The prepared answers of {self.folder.name} have no rows.")
        return table[self._public_names]

    def truth(self, answers: Any) -> pd.DataFrame:
        """The answers as a table, row by row what is to be predicted."""
        return self._table("answer_table", answers)

    def grade(self, submitted: pd.DataFrame, answers: Any) -> float:
        """The exact score of a submission.

        Args:
            submitted: The submitted table.
            answers: What `read_answers` returns, or `Answers` made from it.

        Raises:
            InvalidSubmissionError: The submission cannot be graded.
            GraderError: It could be, but scoring failed.
            DamagedAnswersError: The answers are not what preparing writes.
        """
        known = answers if isinstance(answers, Answers) else Answers(self, answers)
        expected = known.expected
        with self._checking():
            checked = self.submission.check(submitted, expected)
        truth = known.truth
        truth = truth if checked.answers is None else truth.take(checked.answers)
        further: dict[str, Any] = {}
        if "rows" in self._score_parameters:
            further["rows"] = checked.rows
        if "answers" in self._score_parameters:
            further["answers"] = known.truth
        try:
            returned = self._score(truth.reset_index(drop=True), checked.predicted, **further)
        except (MlebenchError, MemoryError):
            raise
        except (Exception, SystemExit) as error:  # whose message might quote the answers
            place = place_in(self.folder, error)
            where = f" in {place}" if place else ""
            name, folders = self.folder.name, own_dirs(self.folder)
            check = command("selfcheck", name, competitions_dirs=folders, edition=self.edition)
            raise GraderError(
                f"Scoring {name} failed on a submission that passed all checks "
                f"({type(error).__name__}{where}). `{check}` shows in full what goes wrong with "
                "made-up data."
            ) from error
        result = as_score(returned, called(self.folder, "score", self._score))
        if math.isnan(result) and self.edition != "v1":
            raise GraderError(f"Edition {self.edition} of {self.folder.name} gave no score.")
        return result

    @cached_property
    def _score(self) -> Callable[..., Any]:
        score = self._function("score")
        check_score(score, called(self.folder, "score", score))
        return score

    @cached_property
    def _score_parameters(self) -> Collection[str]:
        return inspect.signature(self._score).parameters.keys()

    def require_complete(self) -> None:
        """Raise unless all that grading needs is there and of the right kind."""
        _ = self.submission, self.validation, self._score, self._answer_columns

    @property
    def _public_names(self) -> list[str]:
        declared = (self.submission, self.validation)
        return list(dict.fromkeys(name for one in declared for name in one.public_names))

    @property
    def answer_names(self) -> Collection[str]:
        """The columns that scoring needs of answers that are a table."""
        return self._answer_columns or self.submission.names

    @property
    def _answer_columns(self) -> Collection[str] | None:
        """What to read of the answers, if that is not the submission's own columns."""
        wanted: Collection[str] | None = self._find("ANSWER_COLUMNS")
        if isinstance(wanted, str):
            raise ConfigError(
                f"ANSWER_COLUMNS in {self.folder / TASK_FILE} must be a tuple of names, not a "
                f"text. A single one needs a comma behind it: ({wanted!r},)."
            )
        return wanted

    @contextmanager
    def _checking(self) -> Iterator[None]:
        """Whatever a declaration raises beside refusals is its author's mistake.

        Checks know no labels, so what is said may be told.
        """
        try:
            yield
        except (MlebenchError, MemoryError):
            raise
        except (Exception, SystemExit) as error:
            raise GraderError(
                f"Checking a submission to {self.folder.name} failed: "
                f"{describe_mistake(self.folder, error)}."
            ) from error

    @property
    def _derives_tables(self) -> bool:
        return any(self._find(hook) for hook in ("answer_table", "public_table"))

    def _table(self, hook: str, answers: Any) -> pd.DataFrame:
        """What the task makes of its answers; the answers themselves if it has no such hook."""
        make_table: Callable[[Any], pd.DataFrame] | None = self._find(hook)
        if make_table is None:
            table: pd.DataFrame = answers
            return table
        try:
            return make_table(answers)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:  # whose message might quote the answers
            place = place_in(self.folder, error) or "in a library"
            raise DamagedAnswersError(
                f"{hook} of {self.folder.name} failed on the prepared answers "
                f"({type(error).__name__}, {place})."
            ) from error

    def _get(self, name: str) -> Any:
        """A part of the task module that every task has, in this edition."""
        found = self._find(name)
        if found is None:
            raise ConfigError(f"{self.folder / TASK_FILE} does not define {name}.")
        return found

    def _function(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = self._get(name)
        if not callable(function):
            found = type(function).__name__
            raise ConfigError(f"{name} in {self.folder / TASK_FILE} is no function, but {found}.")
        return function

    def _find(self, name: str) -> Any:
        """A part of the task module, in this edition, if there is one."""
        return self._in(self.module, name)

    def _in(self, module: ModuleType, name: str) -> Any:
        return getattr(module, self._own_name(name), getattr(module, name, None))

    def _own_name(self, name: str) -> str:
        """What a part of the task module is called that is meant for this edition only."""
        suffix = f"_{self.edition}"
        return name + (suffix.upper() if name.isupper() else suffix)


@dataclass(frozen=True, eq=False)
class Answers:
    """Prepared answers with the tables that grading needs, made once for many submissions."""

    task: Task
    content: Any

    @cached_property
    def public(self) -> pd.DataFrame:
        """The columns that checks may see."""
        return self.task.public(self.content)

    @cached_property
    def expected(self) -> Expected:
        """What the form of a submission is checked against."""
        return self.task.submission.expect(self.public)

    @cached_property
    def truth(self) -> pd.DataFrame:
        """What is to be predicted."""
        return self.task.truth(self.content)


def _select_fields(path: Path, wanted: Collection[str] | None) -> list[Any]:
    """The records of a jsonl with the fields that are wanted."""
    from mlebench.preparing.tables import read_jsonl

    records = read_jsonl(path)
    if wanted is None:
        return list(records)
    return [{name: record[name] for name in wanted} for record in records]
