"""What simple answers are made from: the sample as it is written, tables, and the description."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..description import description_of
from ..keys import named_as_in_sample, says
from ..packing import TooLargeError
from ..surface import is_plain_file
from ..tables import find_sample, find_tables, read_all, read_table

SHARE_OF_MEMORY, SHARE_OF_SAMPLE = 0.12, 0.4
MOST_FILES = 200_000


@dataclass(frozen=True)
class Look:
    """What there is to look at.

    Attributes:
        data: The public data.
        sample: The sample submission, all of it as text.
        paths: The other tables.
        description: What is told about the task, in small letters.
        memory: How many bytes there are.
    """

    data: Path
    sample: pd.DataFrame
    paths: Sequence[Path]
    description: str
    memory: int

    @property
    def key(self) -> str:
        """The column with the names of rows."""
        return str(self.sample.columns[0])

    @property
    def outputs(self) -> list[str]:
        """All other columns of the sample."""
        return [str(name) for name in self.sample.columns[1:]]

    @cached_property
    def tables(self) -> Mapping[Path, pd.DataFrame]:
        """All other tables, with names of rows called as in the sample where they have them."""
        found, _ = read_all(self.paths, int(self.memory * SHARE_OF_MEMORY))
        return named_as_in_sample(self.sample, found, self.data)

    def called(self, word: str) -> Iterator[tuple[Path, pd.DataFrame]]:
        """Tables that are called by a word, or lie in a folder that is."""
        return (item for item in self.tables.items() if says(item[0], self.data, word))

    def train_and_test(self) -> tuple[pd.DataFrame, pd.DataFrame] | None:
        """The table that knows all rows to predict, and the one that knows more of others."""
        test = next(
            (
                table
                for _, table in [*self.called("test"), *self.tables.items()]
                if self.key in table.columns
                and self.sample[self.key].isin(table[self.key].astype(str)).all()
            ),
            None,
        )
        if test is None:
            return None
        others = [table for _, table in self.called("train") if table is not test]
        shared = [sum(name in test.columns for name in table.columns) for table in others]
        if not shared or not max(shared):
            return None
        train = others[shared.index(max(shared))]
        asked = test.assign(**{self.key: test[self.key].astype(str)}).drop_duplicates(self.key)
        return train, self.sample[[self.key]].merge(asked, on=self.key, how="left")

    def filled(self, **columns: Any) -> pd.DataFrame:
        """The sample with other values."""
        return self.sample.assign(**columns)


@dataclass(frozen=True)
class Answer:
    """A filled sample that was tried on rows whose answers are known.

    Attributes:
        name: How it is made.
        score: How good such answers are; more is better.
        usual: How good the sample's own are.
        table: What is to be submitted.
    """

    name: str
    score: float
    usual: float
    table: pd.DataFrame


Family = Callable[[Look], Iterator[Answer]]


def look_at(data: Path, memory: int) -> Look | None:
    """Read what there is; None if there is no sample, or too large a one."""
    paths = find_tables(data)
    place = find_sample(paths)
    if place is None:
        return None
    try:
        sample = read_table(place, int(memory * SHARE_OF_SAMPLE), only_text=True, only_whole=True)
    except TooLargeError:
        return None
    sample = sample[[name for name in sample.columns if not str(name).startswith("Unnamed: ")]]
    others = [path for path in paths if path != place and "ample" not in path.name.lower()]
    text, _ = description_of(data)
    return Look(data, sample, others, text.lower(), memory)


def files_by_stem(data: Path, suffixes: tuple[str, ...], word: str) -> dict[str, Path]:
    """Files of some kinds below folders called by a word, by their names."""
    found: dict[str, Path] = {}
    for folder in sorted(data.iterdir()):
        if not folder.is_dir():
            continue
        for path in folder.rglob("*"):
            if path.suffix.lower() not in suffixes or not is_plain_file(path, data):
                continue
            if word in str(path.relative_to(data)).lower():
                found.setdefault(path.stem, path)
                if len(found) >= MOST_FILES:
                    return found
    return found
