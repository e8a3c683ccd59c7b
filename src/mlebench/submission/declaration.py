"""The declaration of a submission and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from mlebench.errors import InvalidSubmissionError
from mlebench.submission.columns import Column, Number, quote
from mlebench.submission.matching import by_key, by_position
from mlebench.submission.rules import Rule


class Aligned(NamedTuple):
    """Answers and predictions with corresponding rows, in the order of the answers."""

    truth: pd.DataFrame
    predicted: pd.DataFrame


@dataclass(frozen=True)
class Submission:
    """What a valid submission looks like.

    Attributes:
        key: The column that identifies a row.
        columns: What the participant predicts.
        rules: Conditions across columns.
        match: Whether rows are paired by key or by their position in the file; in the
            latter case the key is shown in the sample but not looked at.
        only_these_columns: Refuse any further column instead of ignoring it.
        key_first: The key must be the leftmost column.
    """

    key: str
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()
    match: Literal["key", "position"] = "key"
    only_these_columns: bool = False
    key_first: bool = False

    @property
    def names(self) -> list[str]:
        """All column names in the order of the sample submission."""
        return [self.key, *(column.name for column in self.columns)]

    @property
    def number_names(self) -> list[str]:
        """The columns that hold numbers, so that a reader can parse them at once."""
        return [column.name for column in self.columns if isinstance(column, Number)]

    def align(self, submission: pd.DataFrame, answers: pd.DataFrame) -> Aligned:
        """Check a submission against the answers' rows and pair the two.

        This is the whole of validation: what passes here gets a score.

        Raises:
            InvalidSubmissionError: With a code, the column and the first offending rows.
        """
        self._check_columns(submission)
        if self.match == "position":
            order = by_position(len(submission), len(answers))
        else:
            order = by_key(submission[self.key], answers[self.key])
        in_order = bool((order == np.arange(len(order))).all())
        predicted = {}
        for column in self.columns:
            cells = submission[column.name].reset_index(drop=True)
            predicted[column.name] = column.parse(cells if in_order else cells.take(order))
        rows = pd.DataFrame(predicted)
        for rule in self.rules:
            rule.check(answers, rows)
        return Aligned(answers.reset_index(drop=True), rows.reset_index(drop=True))

    def _check_columns(self, submission: pd.DataFrame) -> None:
        found = [str(name) for name in submission.columns]
        if not found:
            raise InvalidSubmissionError(
                f"The file is empty; expected the columns {', '.join(self.names)}.",
                code="empty_file",
            )
        wanted = self.names if self.match == "key" else self.names[1:]
        for name in wanted:
            if name not in found:
                alike = [other for other in found if other.strip().lower() == name.lower()]
                hint = f" Did you mean it by {quote(alike[0])}?" if alike else ""
                raise InvalidSubmissionError(
                    f"Column {name!r} is missing; found {', '.join(map(quote, found[:20]))}.{hint}",
                    code="missing_column",
                    column=name,
                )
        if self.only_these_columns and (
            extra := [name for name in found if name not in self.names]
        ):
            raise InvalidSubmissionError(
                f"Only the columns {', '.join(self.names)} are allowed; remove {quote(extra[0])}.",
                code="extra_column",
                column=extra[0],
            )
        if self.key_first and found[0] != self.key:
            raise InvalidSubmissionError(
                f"Column {self.key!r} must come first; {quote(found[0])} does.",
                code="column_order",
                column=self.key,
            )

    def example(self, keys: pd.Series[Any], rng: np.random.Generator) -> pd.DataFrame:
        """A random valid submission for these keys."""
        cells = {column.name: column.example(rng, len(keys)) for column in self.columns}
        example = pd.DataFrame({self.key: keys.to_numpy(), **cells})
        for rule in self.rules:
            example = rule.adjust(example)
        return example

    def document(self) -> str:
        """The format of a submission, in Markdown."""
        order = (
            "any order"
            if self.match == "key"
            else "the order of the sample submission, by which they are compared"
        )
        lines = [
            f"A csv file with a header and the columns `{','.join(self.names)}`; "
            f"one row for each `{self.key}` of the test set, in {order}.",
            "",
            *(f"- `{column.name}`: {column.describe()}." for column in self.columns),
            *(f"- {rule.describe()}" for rule in self.rules),
        ]
        if self.only_these_columns:
            lines.append("- Further columns are refused.")
        if self.key_first:
            lines.append(f"- `{self.key}` must be the first column.")
        return "\n".join(lines)
