"""Broken submissions from good ones: one to three mutations, reproducible from a seed."""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.fuzz import raw, tables
from tests.fuzz.tables import Table

HARMLESS_SHARE = 0.15
BYTES_SHARE = 0.4


@dataclass(frozen=True)
class Case:
    """A mutated file and what was done to it."""

    content: bytes
    steps: tuple[str, ...]


def make_case(competition_id: str, seed: int, number: int, bases: Sequence[Table]) -> Case:
    """Case ``number`` of a competition; the same arguments give the same bytes."""
    rng = np.random.default_rng([seed, zlib.crc32(competition_id.encode()), number])
    base = int(rng.integers(len(bases)))
    table = [list(row) for row in bases[base]]
    harmless = rng.random() < HARMLESS_SHARE
    on_tables = tables.VALID if harmless else tables.BROKEN
    on_bytes = raw.VALID if harmless else raw.BROKEN
    count = int(rng.choice([1, 2, 3], p=[0.6, 0.25, 0.15]))
    byte_count = int((rng.random(count) < BYTES_SHARE).sum())
    steps = [f"base {base}"]
    for _ in range(count - byte_count):
        change = on_tables[rng.integers(len(on_tables))]
        change(table, rng)
        steps.append(change.__name__)
    content = write(table)
    for _ in range(byte_count):
        spoil = on_bytes[rng.integers(len(on_bytes))]
        content = spoil(content, rng)
        steps.append(spoil.__name__)
    return Case(content, tuple(steps))


def write(table: Table) -> bytes:
    """The table as csv in the usual form."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(table)
    return buffer.getvalue().encode("utf-8", "surrogatepass")
