"""The declaration of a submission and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeVar

import numpy as np
import pandas as pd

from mlebench.errors import ConfigError, InvalidSubmissionError
from mlebench.submission.columns import Column, Number
from mlebench.submission.keys import KeyTable
from mlebench.submission.matching import ExactKey, Matching
from mlebench.submission.refusals import quote
from mlebench.submission.rules import RowsSumToOne, Rule
from mlebench.submission.sorted_pairs import Rows
from mlebench.submission.tables import make_table

SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}
SHOWN_COLUMNS = 20

Table = TypeVar("Table", pd.DataFrame, "pd.Series[Any]")


class Checked(NamedTuple):
    """A submission that can be graded."""

    predicted: pd.DataFrame
    """The parsed predictions, row by row those of `answers`."""
    submitted: Rows | None
    """Where each of them stands in the submitted file; None for all of them, in order."""
    answers: Rows | None
    """Which answers they belong to; None for all of them, in order."""

    @property
    def rows(self) -> Rows:
        """Where each prediction stands in the submitted file, counted from 0."""
        return np.arange(len(self.predicted)) if self.submitted is None else self.submitted


class Expected(NamedTuple):
    """The public columns of the answers, and the index of their keys."""

    public: pd.DataFrame
    keys: KeyTable


@dataclass(frozen=True)
class Submission:
    """What a valid submission looks like.

    Attributes:
        key: The column, or columns, that identify a row.
        columns: What the participant predicts.
        rules: Conditions across columns.
        matching: Which submitted row belongs to which answer.
        public: Further columns of the answers that participants know, such as image sizes.
            Checks see these and the key, and nothing else of the answers.
        only_these_columns: Refuse any further column instead of ignoring it.
        further: The kind of all further columns, if they are not ignored: it is called with
            their names. Rules see them, and so does scoring.
        key_first: The key must be the leftmost column.
        in_order: The columns must stand in the order of the sample submission.
        by_place: Scoring gets the predictions in the order of the submitted columns, where
            the original tells them apart by their place.
        other_names: Names that are accepted in place of a column's own, which they lead to.
    """

    key: str | tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()
    matching: Matching = field(default_factory=ExactKey)
    public: tuple[str, ...] = ()
    only_these_columns: bool = False
    further: Callable[[str], Column] | None = None
    key_first: bool = False
    in_order: bool = False
    by_place: bool = False
    other_names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a declaration that could never work, with words for its author."""
        if not self.keys or not all(isinstance(name, str) for name in self.keys):
            raise ConfigError(
                f"Submission: key must be a column's name or a tuple of names, not {self.key!r}."
            )
        for name, value, kind in (
            ("columns", self.columns, tuple),
            ("rules", self.rules, tuple),
            ("public", self.public, tuple),
            ("matching", self.matching, Matching),
        ):
            if not isinstance(value, kind):
                hint = " A single one needs a comma behind it: (x,)." if kind is tuple else ""
                found = type(value).__name__
                if isinstance(value, type):
                    found = f"the class {value.__name__}"
                    hint = f" Write {value.__name__}()." if kind is Matching else hint
                raise ConfigError(
                    f"Submission: {name} must be a {kind.__name__}, not {found}.{hint}"
                )
        self._check_parts()
        if unknown := set(self.other_names.values()).difference(self.names):
            raise ConfigError(f"Submission: other_names lead to {unknown.pop()!r}, which is none.")
        if not self.columns or len(set(self.names)) < len(self.names):
            raise ConfigError(f"Submission: give each column one name; found {self.names}.")
        for column in self.columns:
            if lacking := set(column.public_columns).difference(self.public_names):
                raise ConfigError(
                    f"Submission: column {column.name!r} needs {', '.join(sorted(lacking))} of the "
                    "answers; name them in public=(...)."
                )
        if self.matching.one_key_only and len(self.keys) > 1:
            raise ConfigError(
                f"{type(self.matching).__name__} sorts by one key column, not by "
                f"{', '.join(self.keys)}."
            )

    def _check_parts(self) -> None:
        for column in self.columns:
            if not _offers(column, "parse"):
                raise ConfigError(
                    f"Submission: {_shown(column)} among the columns is no column; write "
                    'Number("name") or another kind with the name of the column.'
                )
            if isinstance(getattr(column, "choices", ()), str):
                raise ConfigError(
                    f"Submission: the choices of column {column.name!r} must be a tuple, not a "
                    "text. A single one needs a comma behind it: (x,)."
                )
        for rule in self.rules:
            if not _offers(rule, "check"):
                raise ConfigError(
                    f"Submission: {_shown(rule)} among the rules is no rule; write "
                    "RowsSumToOne((...)) or another one."
                )
            about = rule.columns if isinstance(rule, RowsSumToOne) else ()
            if unknown := [name for name in about if name not in self.names]:
                raise ConfigError(
                    f"Submission: RowsSumToOne names the column {unknown[0]!r}, which is none of "
                    f"{', '.join(self.names)}."
                )

    @property
    def keys(self) -> list[str]:
        """The columns that identify a row."""
        return list(self.key) if isinstance(self.key, tuple | list) else [self.key]

    @property
    def names(self) -> list[str]:
        """All column names in the order of the sample submission."""
        return [*self.keys, *(column.name for column in self.columns)]

    @property
    def public_names(self) -> list[str]:
        """The columns of the answers that checks may see."""
        return [*self.keys, *self.public]

    @property
    def number_names(self) -> list[str]:
        """The columns that hold numbers, so that a reader can parse them at once."""
        own = [
            column.name
            for column in self.columns
            if isinstance(column, Number) and column.is_read_as_floats
        ]
        return own + [other for other, name in self.other_names.items() if name in own]

    def expect(self, public: pd.DataFrame) -> Expected:
        """What submissions to answers with these public columns are checked against."""
        public = _numbered(public[self.public_names])
        return Expected(public, KeyTable(public, tuple(self.keys)))

    def check(self, submitted: pd.DataFrame, expected: pd.DataFrame | Expected) -> Checked:
        """Check a submitted table and pair its rows with the answers'.

        Args:
            submitted: The table as it was read.
            expected: The public columns of the answers, or what `expect` makes of them, which
                saves time if there are many submissions.

        Raises:
            InvalidSubmissionError: With a code, the column and the first offending rows.
        """
        submitted = self.under_own_names(submitted)
        found = self._check_columns(submitted)
        submitted = _numbered(submitted)
        public, wanted = expected if isinstance(expected, Expected) else self.expect(expected)
        keys = tuple(name for name in self.keys if name in found)
        # Nobody keeps the table of keys: what it has found out takes as much memory as the keys.
        pairing = self.matching.pair(KeyTable(submitted, keys), wanted)
        beside = _taken(public, pairing.answers)
        predicted: dict[str, pd.Series[Any]] = {}
        for column in (*self._ordered(submitted), *self._further_columns(submitted)):
            cells = _taken(submitted[column.name], pairing.submitted)
            predicted[column.name] = self._parsed(column, cells, beside)
        if self.matching.keeps_key:
            predicted |= {name: _taken(submitted[name], pairing.submitted) for name in keys}
        rows = submitted.index if pairing.submitted is None else pd.Index(pairing.submitted)
        table = make_table({name: _copied(cells) for name, cells in predicted.items()}, rows)
        for rule in self.rules:
            rule.check(table, beside)
        return Checked(_numbered(table), pairing.submitted, pairing.answers)

    def _further_columns(self, submitted: pd.DataFrame) -> list[Column]:
        """Those that nobody asked for, if they are looked at."""
        if self.further is None:
            return []
        return [self.further(name) for name in submitted.columns if name not in self.names]

    def under_own_names(self, submitted: pd.DataFrame) -> pd.DataFrame:
        """The submitted table with columns of other names renamed."""
        for other, name in self.other_names.items():
            if {other, name} <= set(submitted.columns):
                raise InvalidSubmissionError(
                    f"Columns {name!r} and {other!r} mean the same; give one of them.",
                    code="repeated_column",
                    column=other,
                )
        return submitted.rename(columns=dict(self.other_names)) if self.other_names else submitted

    def _ordered(self, submitted: pd.DataFrame) -> Sequence[Column]:
        """The columns in the order in which scoring gets them."""
        if not self.by_place:
            return self.columns
        places = {name: place for place, name in enumerate(submitted.columns)}
        return sorted(self.columns, key=lambda column: places[column.name])

    @staticmethod
    def _parsed(column: Column, cells: pd.Series[Any], beside: pd.DataFrame) -> pd.Series[Any]:
        """What a column makes of its cells, which an author may have written."""
        values = column.parse(cells, beside)
        if not isinstance(values, pd.Series) or not values.index.equals(cells.index):
            raise ConfigError(
                f"parse of column {column.name!r} must return a Series with the index of its cells."
            )
        return values

    def _check_columns(self, submitted: pd.DataFrame) -> Collection[str]:
        """The names of the columns, if they are those that are expected."""
        found = [str(name) for name in submitted.columns]
        if not found:
            raise InvalidSubmissionError(
                f"The file is empty; expected the columns {_listed(self.names)}.",
                code="empty_file",
            )
        known = set(found)
        if len(known) < len(found):  # a file's columns have distinct names, a table's need not
            raise InvalidSubmissionError("Column names are repeated.", code="repeated_column")
        for name in self.names if self.matching.needs_key else self.names[len(self.keys) :]:
            if name not in known:
                self._refuse_missing(name, found)
        extra = known.difference(self.names)
        if self.only_these_columns and extra:
            first = next(name for name in found if name in extra)
            raise InvalidSubmissionError(
                f"Remove the column {quote(first)}; only {_listed(self.names)} are allowed.",
                code="extra_column",
                column=first,
            )
        if self.key_first and found[0] != self.keys[0]:
            raise InvalidSubmissionError(
                f"Column {self.keys[0]!r} must come first; {quote(found[0])} does.",
                code="column_order",
                column=self.keys[0],
            )
        if self.in_order:
            self._check_order([name for name in found if name not in extra])
        return known

    def _check_order(self, found: list[str]) -> None:
        """Refuse columns in another order than the declared one; all of them are there."""
        for name, own in zip(found, self.names, strict=False):
            if name != own:
                raise InvalidSubmissionError(
                    "The columns must stand in the order of the sample submission; "
                    f"{quote(name)} stands where {own!r} belongs.",
                    code="column_order",
                    column=name,
                )

    @staticmethod
    def _refuse_missing(name: str, found: list[str]) -> NoReturn:
        alike = [other for other in found if other.strip().lower() == name.lower()]
        hint = f" Did you mean {quote(alike[0])}?" if alike else ""
        if len(found) == 1 and (sign := next((s for s in SEPARATORS if s in found[0]), None)):
            hint = f" Columns must be separated by commas, not by {SEPARATORS[sign]}."
        raise InvalidSubmissionError(
            f"Column {name!r} is missing; found {_listed([*map(quote, found)])}.{hint}",
            code="missing_column",
            column=name,
        )

    def example(self, public: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """A random valid submission for answers with these public columns."""
        cells = {column.name: column.example(rng, public) for column in self.columns}
        keys = {name: public[name].to_numpy() for name in self.keys}
        example = pd.DataFrame({**keys, **cells})
        for rule in self.rules:
            example = rule.adjust(example)
        return example

    def document(self) -> str:
        """The format of a submission, in Markdown."""
        key = " and ".join(f"`{name}`" for name in self.keys)
        lines = [
            f"A csv file with a header and the columns `{','.join(self.names)}`; "
            f"{self.matching.describe(key)}.",
            "",
            *(f"- `{column.name}`: {column.describe()}." for column in self.columns),
            *(f"- {rule.describe()}" for rule in self.rules),
        ]
        if self.only_these_columns:
            lines.append("- Further columns are refused.")
        if self.further is not None:
            lines.append(f"- Any further column: {self.further('further').describe()}.")
        if self.key_first:
            lines.append(f"- {key} must be the first column.")
        if self.in_order:
            lines.append("- The columns must stand in this order.")
        if self.by_place:
            lines.append("- Keep this order: columns are told apart by their place.")
        for other, name in self.other_names.items():
            lines.append(f"- A column `{other}` is accepted in place of `{name}`.")
        return "\n".join(lines)


def _offers(part: object, method: str) -> bool:
    """Whether a part of a declaration is an object with this method, rather than a class."""
    return not isinstance(part, type) and callable(getattr(part, method, None))


def _shown(part: object) -> str:
    return part.__name__ if isinstance(part, type) else repr(part)


def _listed(names: Sequence[str]) -> str:
    """Columns in a sentence, which has an end however many there are."""
    more = f" and {len(names) - SHOWN_COLUMNS} more" if len(names) > SHOWN_COLUMNS else ""
    return f"{', '.join(names[:SHOWN_COLUMNS])}{more}"


def _numbered(table: pd.DataFrame) -> pd.DataFrame:
    """The table with its rows numbered from 0."""
    index = table.index
    if isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1):
        return table
    return table.reset_index(drop=True)


def _copied(cells: pd.Series[Any]) -> Any:
    """The values of a column, for somebody to write to; objects as a series, lest pandas guess."""
    return cells.copy() if cells.dtype == object else cells.array.copy()


def _taken(table: Table, rows: Rows | None) -> Table:
    if rows is None:
        return table
    if len(rows) < len(table) // 2:
        # Arrow would copy the whole column to take some rows of it; choosing them does not.
        chosen, places = np.unique(rows, return_inverse=True)
        is_chosen = np.zeros(len(table), bool)
        is_chosen[chosen] = True
        table, rows = table[is_chosen], places
    return table.take(rows)
