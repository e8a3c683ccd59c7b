"""Faults that fuzzing found once, in their smallest form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Prepared
from tests.fuzz.bench import Bench, Kind
from tests.fuzz.mutations import write
from tests.fuzz.tables import Table

PATENTS = "us-patent-phrase-to-phrase-matching"
NOMAD = "nomad2018-predict-transparent-conductors"
APTOS = "aptos2019-blindness-detection"
SALT = "tgs-salt-identification-challenge"
PETS = "petfinder-pawpularity-score"
LYFT = "3d-object-detection-for-autonomous-vehicles"

Spoil = Callable[[Table], bytes]


def last_cells(cell: str) -> Spoil:
    """The cell at the end of every row."""
    return lambda table: write([table[0], *([*row[:-1], cell] for row in table[1:])])


def one_cell(cell: str, column: int = -1) -> Spoil:
    """The cell in the second row, the others as they are."""

    def spoil(table: Table) -> bytes:
        table[2][column] = cell
        return write(table)

    return spoil


def whole_numbers_with(cell: str) -> Spoil:
    """The cell among zeros and ones."""

    def spoil(table: Table) -> bytes:
        for number, row in enumerate(table[1:]):
            row[1:] = [cell if number == 1 else str(number % 2)] * (len(row) - 1)
        return write(table)

    return spoil


def open_quote(table: Table) -> bytes:
    """A file that ends inside quotes."""
    table[-1][-1] = "1 1"
    return write(table).replace(b"1 1", b'"1 1')


def lone_return(table: Table) -> bytes:
    """A blank line of the old Mac, which eats a comma in pandas but not in Arrow."""
    table[2][0] = "\r"
    return write(table)


@pytest.mark.parametrize(
    ("competition_id", "spoil", "kind"),
    [
        # Read differently by the fast path.
        (PATENTS, one_cell(" nan"), "invalid"),
        (PATENTS, one_cell("NAN"), "invalid"),
        (PATENTS, one_cell("nan(1)"), "invalid"),
        (PATENTS, one_cell("nan"), "scored"),
        (PATENTS, whole_numbers_with("-9223372036854775809"), "invalid"),
        (NOMAD, whole_numbers_with("18446744073709551616"), "invalid"),
        (NOMAD, lone_return, None),  # what it means depends on the build of pandas
        (APTOS, one_cell("\v0"), "scored"),
        (PETS, last_cells("tRue"), "scored"),
        (SALT, open_quote, "invalid"),
        # A traceback instead of a verdict.
        (PATENTS, whole_numbers_with("1" * 400), "invalid"),
        # Messages as long as the cell.
        (APTOS, one_cell("x" * 20_000, column=0), "invalid"),
        (SALT, one_cell("x" * 20_000), "invalid"),
        (LYFT, one_cell("1 2 3 4 5 6 7 " + "x" * 20_000 + " car"), "invalid"),
    ],
)
def test_stays_mended(
    competition_id: str, spoil: Spoil, kind: Kind | None, prepared: Prepared, tmp_path: Path
) -> None:
    bench = Bench(prepared(competition_id))
    path = tmp_path / "submission.csv"
    path.write_bytes(spoil([list(row) for row in bench.bases[1]]))
    assert bench.check(path) == kind or kind is None
