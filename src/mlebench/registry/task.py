"""The functions of a competition: ``task.py``, loaded when first needed.

A task module offers

- ``SUBMISSION``: what a valid submission looks like,
- ``prepare(raw, public, private)``: from raw data to what agents see and to the answers,
- ``score(truth, predicted)``: from aligned tables to a number,
- ``fixture(raw)``: tiny raw data with the real schema,

and, where the answers are no csv table with the submission's key, ``truth(answers)``, which
makes one. Edition v2 uses ``score_v2`` and so on where they exist.

Grading is alignment followed by ``score``; validation is alignment alone. What is valid is
therefore gradable, and validating never computes a score.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mlebench.errors import ConfigError, GraderError, MlebenchError, TaskNotWrittenError
from mlebench.registry.facts import TASK_FILE, Edition
from mlebench.registry.loader import load_module

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.submission import Aligned, Submission

PREPARE_PARAMETERS = ["raw", "public", "private"]


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
                f"{self.folder.name} is known with its facts and medal thresholds, but cannot "
                "be prepared or graded yet: its functions are not written. "
                "`mlebench competitions --ready` lists those that are."
            )

    @cached_property
    def module(self) -> ModuleType:
        """The task module."""
        self.require_written()
        return load_module(self.folder, "task")

    @property
    def submission(self) -> Submission:
        """The declared form of a submission."""
        declared: Submission = self._get("SUBMISSION")
        return declared

    def prepare(self, raw: Path, public: Path, private: Path) -> None:
        """Turn raw data into the public files and the answers."""
        prepare = self._get("prepare")
        check_prepare(prepare, f"prepare in {self.folder / TASK_FILE}")
        prepare(raw=raw, public=public, private=private)

    def fixture(self, raw: Path) -> None:
        """Write tiny raw data with the schema of the real ones."""
        self.require_written()
        raw.mkdir(parents=True, exist_ok=True)
        self._in(load_module(self.folder, "fixture"), "fixture")(raw)

    def read(self, submission: Path, answers: Path) -> tuple[pd.DataFrame, Any]:
        """Read a submission and the answers side by side."""
        with ThreadPoolExecutor(max_workers=1) as thread:
            pending = thread.submit(self.read_answers, answers)
            return self.read_submission(submission), pending.result()

    def read_submission(self, path: Path) -> pd.DataFrame:
        """Read a submitted csv with the types the declaration expects."""
        from mlebench.submission import read_table

        return read_table(path, numbers=self.submission.number_names)

    def read_answers(self, path: Path) -> Any:
        """Read the answers: a table, or the records of a jsonl, with what scoring needs."""
        wanted = self._find("ANSWER_COLUMNS")
        if path.suffix == ".jsonl":
            from mlebench.preparing.tables import read_jsonl

            records = read_jsonl(path)
            if wanted:
                return [{name: record[name] for name in wanted} for record in records]
            return list(records)
        from mlebench.submission import read_table

        numbers = self.submission.number_names
        return read_table(path, numbers=numbers, only=wanted or self.submission.names)

    def align(self, submission: pd.DataFrame, answers: Any) -> Aligned:
        """Check a submission and pair its rows with the answers'.

        Raises:
            InvalidSubmissionError: The submission cannot be graded.
        """
        make_table: Callable[[Any], pd.DataFrame] | None = self._find("truth")
        table = make_table(answers) if make_table else answers
        return self.submission.align(submission, table)

    def grade(self, submission: pd.DataFrame, answers: Any) -> float:
        """The exact score of a submission.

        Raises:
            InvalidSubmissionError: The submission cannot be graded.
            GraderError: It could be, but scoring failed.
        """
        aligned = self.align(submission, answers)
        try:
            return float(self._get("score")(aligned.truth, aligned.predicted))
        except MlebenchError:
            raise
        except Exception as error:
            raise GraderError(
                f"Scoring {self.folder.name} failed on a submission that passed all checks "
                f"({type(error).__name__}: {error}). Please report this."
            ) from error

    def _get(self, name: str) -> Any:
        """A part of the task module that every task has, in this edition."""
        found = self._find(name)
        if found is None:
            raise ConfigError(f"{self.folder / TASK_FILE} does not define {name}.")
        return found

    def _find(self, name: str) -> Any:
        """A part of the task module, in this edition, if there is one."""
        return self._in(self.module, name)

    def _in(self, module: ModuleType, name: str) -> Any:
        suffix = f"_{self.edition}"
        own = name + (suffix.upper() if name.isupper() else suffix)
        return getattr(module, own, getattr(module, name, None))


def check_prepare(function: Callable[..., Any], where: str) -> None:
    """Refuse a prepare function that cannot be called with raw, public and private alone."""
    parameters = list(inspect.signature(function).parameters.values())
    found = [parameter.name for parameter in parameters]
    needed = [
        parameter.name
        for parameter in parameters[len(PREPARE_PARAMETERS) :]
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    if found[: len(PREPARE_PARAMETERS)] != PREPARE_PARAMETERS or needed:
        raise ConfigError(
            f"{where} must take the parameters {', '.join(PREPARE_PARAMETERS)}, in this order; "
            f"further ones need defaults. It takes {', '.join(found) or 'none'}."
        )
