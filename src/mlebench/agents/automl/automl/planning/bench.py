"""What all steps work with: the problem, its folds, and features that are made only once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..features.columns import columns_of
from ..features.distances import add_distances
from ..features.files import described_rows
from ..features.frame import Frame, frame_of, plain_frame_of
from ..features.lists import descriptions, side_of
from ..features.pairs import add_pairs
from ..features.sequences import add_sequences
from ..features.texts import Unit, counted, meanings, text_of_rows
from ..folds import Folds
from ..grouping import groups_kept_apart
from ..learners.encoding import Encoder, NeighbourTargets
from ..pace import is_time_for
from ..problem import Problem
from ..store import Store

FEATURES, PLAIN, FILES = "features of columns", "plain features of columns", "features of files"
DESCRIBED = "rows with features of files"
MANY_ROWS = 100_000
FEWEST_ALIKE, MOST_ALIKE, MOST_GROUPS = 4, 2000, 3
DIRECTIONS = 24


@dataclass(frozen=True)
class Bench:
    """What all steps work with.

    Attributes:
        problem: What is asked for.
        all_folds: The parts that are held out.
        store: Where features are kept.
        seed: Decides what is decided by lot.
        threads: How many each step may use.
        seconds: How long the whole run takes.
        memory: How many bytes the whole run may use.
        columns: The name under which features of columns are kept.
        has_files: Whether the features of files are among those of rows.
        gains: How good models turned out to be, by name.
    """

    problem: Problem
    all_folds: Folds
    store: Store
    seed: int
    threads: int
    seconds: float = 600.0
    memory: int = 4 * 1024**3
    columns: str = FEATURES
    has_files: bool = False
    gains: dict[str, float] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows there are to learn from."""
        return len(self.problem.target)

    @property
    def has_texts(self) -> bool:
        """Whether any column holds texts."""
        problem = self.problem
        held = {column.holds for column in columns_of(problem.train, problem.test)}
        return not held.isdisjoint({"texts", "lists"})

    @property
    def features(self) -> str:
        """What has to be kept before models of features can be tried."""
        return FILES if self.has_files else self.columns

    @property
    def folds(self) -> Folds:
        """The parts that are held out, without rows whose files are not known."""
        if not self.has_files:
            return self.all_folds
        return self.all_folds.among(np.flatnonzero(self.store.load(DESCRIBED)[: self.rows]))

    @property
    def is_described(self) -> bool:
        """Whether features of columns were looked for, whatever was found."""
        return self.store.has(_names(self.columns))

    def end(self, name: str) -> None:
        """Remember that a step is over, whatever came of it."""
        self.store.save(_over(name), True)

    def is_over(self, name: str) -> bool:
        """Whether a step is over, and nobody need wait for it any longer."""
        return self.store.has(_over(name))

    @property
    def width(self) -> int:
        """How many features there are, as far as they were looked for."""
        kept = [_names(self.columns), *([_names(FILES)] if self.has_files else [])]
        return sum(len(self.store.load(name)) for name in kept if self.store.has(name))

    def or_plain(self) -> Bench:
        """The same with features that need little time and memory, if others could not be made."""
        return self if self.is_described else replace(self, columns=PLAIN)

    def split(self, values: Any) -> tuple[Any, Any]:
        """Something of all rows as that of rows to learn from, and of those to predict."""
        return values[: self.rows], values[self.rows :]

    def keep(self, name: str, frame: Frame) -> None:
        """Keep features under a name, if there are any."""
        if frame.names:
            self.store.save(name, frame)
            if name == FILES:
                self.store.save(DESCRIBED, described_rows(frame))
        self.store.save(_names(name), frame.names)

    def frame(self) -> Frame:
        """The features of columns, joined by those of files once these are there."""
        if self.has_files:
            return self.store.get("frame with files", self._joined)
        return self.store.get(self.columns, self.made)

    def _joined(self) -> Frame:
        joined = self.store.get(self.columns, self.made).copy()
        files = self.store.load(FILES)
        for name, values in zip(files.names, files.columns, strict=True):
            joined.add(name, values)
        return joined

    def made(self) -> Frame:
        """The features of columns that are quick to make, made anew."""
        problem = self.problem
        if self.columns == PLAIN:
            return plain_frame_of(problem.train, problem.test, names_of_rows(problem))
        names = names_of_rows(problem)
        frame = frame_of(problem.train, problem.test, names)
        columns = columns_of(problem.train, problem.test)
        add_distances(frame, [column for column in columns if column.name not in names])
        return frame

    def stages(self) -> Iterator[Frame]:
        """The features of columns: first the quick ones, then what takes longer added to them.

        Of that everything for which there is no time is left out.
        """
        frame = self.made()
        yield frame
        if self.columns == PLAIN:
            return
        for add in (self._add_sequences, self._add_signals, self._add_meanings, self._add_pairs):
            before = len(frame.names)
            add(frame)
            if len(frame.names) > before:
                yield frame

    def _add_sequences(self, frame: Frame) -> None:
        if self.all_folds.groups is None:
            return
        if (groups := groups_kept_apart(self.problem)) is not None:
            add_sequences(frame, columns_of(self.problem.train, self.problem.test), groups[0])

    def _add_signals(self, frame: Frame) -> None:
        for column in columns_of(self.problem.train, self.problem.test):
            if column.holds == "signals":
                cells = list(column.both)
                described = partial(descriptions, side=side_of(cells))
                if is_time_for(described, cells):
                    for what, values in described(cells).items():
                        frame.add(f"{column.name} {what}", values)

    def _add_meanings(self, frame: Frame) -> None:
        """The main directions of the words of each column of texts."""
        columns = self.texts()
        for name, texts in columns.items():
            known = [text for text in texts if text]
            if not is_time_for(lambda some: self._meanings(_counted(some)), known):
                continue
            # Models of texts want the same counts.
            counts = self.counts("words", 2) if len(columns) == 1 else _counted(texts)
            values = self._meanings(counts)
            for place in range(values.shape[1]):
                frame.add(f"{name} meaning {place}", values[:, place])

    def _meanings(self, counts: Any) -> Any:
        return meanings(counts, DIRECTIONS, self.seed)

    def _add_pairs(self, frame: Frame) -> None:
        texts = self.texts()

        def of_some(rows: Sequence[int]) -> None:
            some = {name: [column[row] for row in rows] for name, column in texts.items()}
            add_pairs(Frame(len(rows)), some, self.seed)

        if len(texts) > 1 and is_time_for(of_some, range(self.rows + len(self.problem.test))):
            add_pairs(frame, texts, self.seed)

    def encoders(self) -> tuple[Encoder, ...]:
        """What is told by the target of rows with the same code and a text that is alike."""
        texts, repeated = self.texts(), self.frame().repeated
        groups = [
            codes
            for name, codes in repeated.items()
            if (sizes := np.bincount(codes[codes >= 0])).mean() >= FEWEST_ALIKE
            and sizes.max() <= MOST_ALIKE
        ]
        if not texts or not groups or self.rows > MANY_ROWS or self.problem.columns > 2:
            return ()
        vectors = self.counts("signs", 4)
        return (NeighbourTargets(np.column_stack(groups[:MOST_GROUPS]), vectors),)

    def texts(self) -> dict[str, list[str]]:
        """The texts of all rows by column."""
        problem = self.problem
        return self.store.get("texts", lambda: text_of_rows(problem.train, problem.test))

    def joined_texts(self) -> list[str]:
        """All texts of a row, one after the other."""
        return [" \n ".join(parts) for parts in zip(*self.texts().values(), strict=True)]

    def counts(self, unit: Unit, longest: int, *, fewest: int = 2, is_weighted: bool = True) -> Any:
        """How often words or groups of signs are in the texts of rows."""
        name = f"{unit} {longest} {fewest} {is_weighted}"
        return self.store.get(
            name,
            lambda: counted(
                self.joined_texts(), unit, longest, fewest=fewest, is_weighted=is_weighted
            ),
        )


def _counted(texts: Sequence[str]) -> Any:
    return counted(texts, "words", 2, fewest=2, is_weighted=True)


def names_of_rows(problem: Problem) -> frozenset[str]:
    """Columns that hold what rows are called, if no two are called the same: they tell nothing."""
    names = set()
    for name in problem.train.columns:
        known, asked = problem.train[name], problem.test[name]
        if len(known) and str(known.iloc[0]) != problem.train_ids[0]:
            continue
        # Compared first, since lists cannot be counted.
        if tuple(known.astype(str)) == problem.train_ids and pd.concat([known, asked]).is_unique:
            names.add(str(name))
    return frozenset(names)


def _over(name: str) -> str:
    """Under what is kept that a step is over."""
    return f"{name} are over"


def _names(features: str) -> str:
    """Under what the names of features are kept, also if there are none."""
    return f"names of {features}"
