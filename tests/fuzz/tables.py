"""Mutations of a submission as a table of text cells.

A table is a list of rows, the header first. A mutation changes it in place and may leave it
ragged; it must cope with whatever earlier mutations left behind, down to an empty table.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Table = list[list[str]]
TableMutation = Callable[[Table, np.random.Generator], None]

MISSING = ["", "NA", "NaN", "nan", "None", "null", "N/A", "#N/A", "<NA>", "-nan", "1.#QNAN"]
ALMOST_MISSING = [
    " ", "  ", " NA", "nan ", " nan", "NAN", "none", "Null", "nil", "-", "?", "nan(1)",
]  # fmt: skip
NUMBERS = ["0", "1", "2", "3", "4", "5", "-1", "-0", "0.5", "-0.5", "0.33", "1.0", "100", "101"]
SPELLINGS = [
    "+1", "+0.5", "1.", ".5", "1e-1", "1E0", " 0.5", "0.5 ", "\t1", "1\t", "00.5", "007", "-0.0",
    "5e-324", "1e-400", "0e5", "0.50000000000000000000000000000000000000001",
]  # fmt: skip
ALMOST_NUMBERS = [
    "0x10", "0x1p3", "1_0", "0b1", "1L", "1f", "0.5f", "1e", "1e+", "e5", "--1", "+-1", "1.2.3",
    "1,5", "1 000", "$5", "50%", "(1)", "1d5", "１", "١", "\xa01", "1\xa0", "−1", "[0.5]", "=1+1",
    "'1", "1/2", "0.5 0.5", ".", "+", "1e5.5",
]  # fmt: skip
INFINITE = [
    "inf", "-inf", "Inf", "INF", "+inf", "Infinity", "-infinity", "1e309", "-1e400", " inf",
    "1.#INF", "∞", "1e999999999999",
]  # fmt: skip
HUGE = [
    "1e10", "1e18", "1e19", "1e30", "1e150", "1e308", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616", "-9223372036854775809", "9" * 40, "1" * 400,
    "0." + "1" * 400, "9" * 5000,
]  # fmt: skip
WORDS = [
    "True", "False", "TRUE", "false", "tRue", "yes", "YES", "NO", "no", "x", "é", "日本", "🍕",
    "a,b", 'say "hi"', '"', "a\nb", "a\r\nb", "\r", "\x00", "\x1a", "\u202e", "\ufeff", "\\",
    "2024-01-01", "{}", "id", "<b>", "#",
]  # fmt: skip
SPANS = [
    "5:11", "11:17", "-1:-1", " 5:11 ", "5: 11", "+5:11", "05:011", "5:", ":", "5:11:17",
    "5:11 YES", "a:b", "5.0:11", "5_0:60", "YES ", "Yes",
]  # fmt: skip
RUNS = [
    "1 1", "1 10201", "10201 5", "20000 1", "1 1 2", "1 1 2 1", "5 1 3 1", "1 2 2 1", "0 1", "1 0",
    "1 -1", "1 1 3 1 5", "1.0 1", "+1 1_0", " 1  1 ", "1", "7", "1 9" + "9" * 18, "1 9" + "9" * 30,
    "1\t1", "1 1,3 1",
]  # fmt: skip
BOXES = [
    "0.5 1 2 3 4 5 6 0.1 car", "nan 1 2 3 4 5 6 0.1 car", "1 1 2 3 4 5 6 0.1 car ",
    "1 1 2 3 4 5 6 car", "1  1 2 3 4 5 6 0.1 car", "1 1 2 3 0 5 6 0.1 car",
    "1 1 2 3 -4 5 6 0.1 car", "inf 1 2 3 4 5 6 0.1 car", "1 x 2 3 4 5 6 0.1 car",
    "1 nan 2 3 4 5 6 0.1 car", "1 1 2 3 4 5 6 0.1 unicorn", "1 1 2 3 0 5 6 0.1 unicorn",
    "1 1 2 3 4 5 6 inf car",
]  # fmt: skip
POOLS = (
    MISSING, ALMOST_MISSING, NUMBERS, SPELLINGS, ALMOST_NUMBERS, INFINITE, HUGE, WORDS, SPANS, RUNS,
    BOXES,
)  # fmt: skip


def odd_cell(rng: np.random.Generator) -> str:
    """A cell that somebody might have written."""
    pool = POOLS[rng.integers(len(POOLS))]
    return pool[rng.integers(len(pool))]


def _row(table: Table, rng: np.random.Generator) -> list[str]:
    """A data row, or one that is not part of the table if there is none."""
    return table[rng.integers(1, len(table))] if len(table) > 1 else [""]


def _column(table: Table, rng: np.random.Generator) -> int:
    return int(rng.integers(len(table[0]))) if table and table[0] else 0


def _set(row: list[str], column: int, cell: str) -> None:
    if column < len(row):
        row[column] = cell


def _some_rows(table: Table, rng: np.random.Generator) -> list[list[str]]:
    share = rng.choice([0.1, 0.5, 1.0])
    return [row for row in table[1:] if rng.random() < share]


# Cells


def change_cell(table: Table, rng: np.random.Generator) -> None:
    _set(_row(table, rng), _column(table, rng), odd_cell(rng))


def change_cells(table: Table, rng: np.random.Generator) -> None:
    column, cell = _column(table, rng), odd_cell(rng)
    for row in _some_rows(table, rng):
        _set(row, column, cell)


def mix_cells(table: Table, rng: np.random.Generator) -> None:
    column, pool = _column(table, rng), POOLS[rng.integers(len(POOLS))]
    for row in _some_rows(table, rng):
        _set(row, column, pool[rng.integers(len(pool))])


def swap_cells(table: Table, rng: np.random.Generator) -> None:
    first, second, column = _row(table, rng), _row(table, rng), _column(table, rng)
    if column < min(len(first), len(second)):
        first[column], second[column] = second[column], first[column]


def copy_cell(table: Table, rng: np.random.Generator) -> None:
    source, column = _row(table, rng), _column(table, rng)
    if column < len(source):
        _set(_row(table, rng), column, source[column])


def pad_cells(table: Table, rng: np.random.Generator) -> None:
    column, pad = _column(table, rng), [" ", "\t", "\xa0", "'", "\n"][rng.integers(5)]
    left = rng.random() < 0.5
    for row in _some_rows(table, rng):
        if column < len(row):
            row[column] = pad + row[column] if left else row[column] + pad


def change_case(table: Table, rng: np.random.Generator) -> None:
    column, upper = _column(table, rng), rng.random() < 0.5
    for row in _some_rows(table, rng):
        if column < len(row):
            row[column] = row[column].upper() if upper else row[column].lower()


def huge_cell(table: Table, rng: np.random.Generator) -> None:
    unit = ["9", "x", "1 1 ", "5:11", "é", "\n", ","][rng.integers(7)]
    times = int(rng.choice([1_000, 20_000, 300_000], p=[0.7, 0.25, 0.05]))
    _set(_row(table, rng), _column(table, rng), unit * times)


# Numbers


def _as_number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return None


RESPELLINGS: list[Callable[[float], str]] = [
    lambda number: f"{number:e}",
    lambda number: f"{number:.3E}",
    lambda number: f"+{number}",
    lambda number: f" {number}",
    lambda number: f"{number} ",
    lambda number: f"{number:.30f}",
    lambda number: f"00{number}",
    lambda number: f"{number:.0f}.",
    lambda number: f"{number:.0f}",
    lambda number: f"{number}".replace(".", ","),
    lambda number: f"{number:,.2f}",
    lambda number: float(number).hex(),
    lambda number: "True" if number > 0.5 else "False",
    lambda number: "1" if number > 0.5 else "0",
    lambda number: "1.0" if number > 0.5 else "0.0",
]


def respell_numbers(table: Table, rng: np.random.Generator) -> None:
    column, spell = _column(table, rng), RESPELLINGS[rng.integers(len(RESPELLINGS))]
    for row in _some_rows(table, rng):
        if column < len(row) and (number := _as_number(row[column])) is not None:
            row[column] = spell(number)


def rescale_numbers(table: Table, rng: np.random.Generator) -> None:
    column = _column(table, rng)
    factor = rng.choice([-1.0, 0.0, 1e-300, 1e-20, 1 + 1e-6, 1.00002, 100.0, 1e15, 1e200, 1e308])
    for row in _some_rows(table, rng):
        if column < len(row) and (number := _as_number(row[column])) is not None:
            row[column] = repr(number * float(factor))


def truths_as_numbers(table: Table, rng: np.random.Generator) -> None:
    spelling = [
        ("1", "0"), ("1.0", "0.0"), ("TRUE", "FALSE"), ("true", "false"), ("yes", "no"),
        ("1", "-1"), ("2", "3"), ("t", "f"),
    ][rng.integers(8)]  # fmt: skip
    for row in _some_rows(table, rng):
        row[:] = [{"True": spelling[0], "False": spelling[1]}.get(cell, cell) for cell in row]


# Columns


def drop_column(table: Table, rng: np.random.Generator) -> None:
    column = _column(table, rng)
    for row in table:
        del row[column : column + 1]


def rename_column(table: Table, rng: np.random.Generator) -> None:
    if not table or not table[0]:
        return
    column = _column(table, rng)
    name = table[0][column]
    names = [
        name.upper(), name.lower(), name.title(), f" {name}", f"{name} ", f"{name}.1", name[:-1],
        "", "x", f'"{name}"', f"\ufeff{name}", table[0][0], table[0][-1], "Unnamed: 0", "0",
        name + "\n", odd_cell(rng),
    ]  # fmt: skip
    table[0][column] = names[rng.integers(len(names))]


def swap_names(table: Table, rng: np.random.Generator) -> None:
    if table:
        table[0] = [table[0][k] for k in rng.permutation(len(table[0]))]


def repeat_column(table: Table, rng: np.random.Generator) -> None:
    column, to_the_end = _column(table, rng), rng.random() < 0.5
    for row in table:
        at = len(row) if to_the_end else column
        row[at:at] = row[column : column + 1]


def spoil_repeated_column(table: Table, rng: np.random.Generator) -> None:
    repeat_column(table, rng)
    change_cells(table, rng)


def add_column(table: Table, rng: np.random.Generator) -> None:
    at = int(rng.integers(len(table[0]) + 1)) if table else 0
    cell = odd_cell(rng) if rng.random() < 0.5 else None
    name = ["remark", "Unnamed: 0", "", "index", odd_cell(rng)][rng.integers(5)]
    for number, row in enumerate(table):
        row.insert(at, name if number == 0 else str(number) if cell is None else cell)


def many_columns(table: Table, rng: np.random.Generator) -> None:
    count = int(rng.choice([20, 300]))
    for number, row in enumerate(table[:300]):
        row += [f"c{k}" if number == 0 else "0" for k in range(count)]


def reorder_columns(table: Table, rng: np.random.Generator) -> None:
    order = rng.permutation(len(table[0]) if table else 0)
    for row in table:
        if len(row) == len(order):
            row[:] = [row[k] for k in order]


def rotate_columns(table: Table, rng: np.random.Generator) -> None:
    for row in table[int(rng.integers(2)) :]:
        row[:] = row[1:] + row[:1]


# Rows


def shuffle_rows(table: Table, rng: np.random.Generator) -> None:
    rows = table[1:]
    table[1:] = [rows[k] for k in rng.permutation(len(rows))]


def sort_rows(table: Table, rng: np.random.Generator) -> None:
    table[1:] = sorted(table[1:], reverse=rng.random() < 0.5)


def drop_rows(table: Table, rng: np.random.Generator) -> None:
    count = int(rng.choice([1, 2, len(table) // 2, max(len(table) - 2, 0), len(table)]))
    start = int(rng.integers(1, len(table))) if len(table) > 1 else 1
    del table[start : start + count]


def repeat_rows(table: Table, rng: np.random.Generator) -> None:
    count = int(rng.choice([1, 2, len(table)]))
    start = int(rng.integers(1, len(table))) if len(table) > 1 else 1
    table += [list(row) for row in table[start : start + count]]


def replace_row(table: Table, rng: np.random.Generator) -> None:
    row = _row(table, rng)
    row[:] = _row(table, rng)


def add_row(table: Table, rng: np.random.Generator) -> None:
    width = len(table[0]) if table else 1
    row = list(_row(table, rng))
    rows = [row, [""] * width, ["new", *row[1:]], [odd_cell(rng) for _ in range(width)]]
    table.insert(int(rng.integers(1, len(table) + 1)) if table else 0, rows[rng.integers(4)])


def repeat_header(table: Table, rng: np.random.Generator) -> None:
    if table:
        table.insert(int(rng.integers(1, len(table) + 1)), list(table[0]))


def drop_header(table: Table, rng: np.random.Generator) -> None:
    del table[:1]


def header_only(table: Table, rng: np.random.Generator) -> None:
    del table[1:]


def shorten_row(table: Table, rng: np.random.Generator) -> None:
    row = _row(table, rng)
    del row[int(rng.integers(len(row) + 1)) :]


def lengthen_row(table: Table, rng: np.random.Generator) -> None:
    _row(table, rng).extend(["", odd_cell(rng), "x"][: rng.integers(1, 4)])


def lengthen_rows(table: Table, rng: np.random.Generator) -> None:
    cell = ["", "0", "x"][rng.integers(3)]
    for row in table[int(rng.integers(2)) :]:
        row.append(cell)


def label_rows(table: Table, rng: np.random.Generator) -> None:
    header = [[], [""], ["Unnamed: 0"]][rng.integers(3)]
    for number, row in enumerate(table):
        row[:0] = [str(number - 1)] if number else header


VALID: list[TableMutation] = [
    shuffle_rows, sort_rows, reorder_columns, respell_numbers, add_column, truths_as_numbers,
]  # fmt: skip
BROKEN: list[TableMutation] = [
    change_cell, change_cell, change_cell, change_cells, change_cells, mix_cells, mix_cells,
    swap_cells, copy_cell, pad_cells, change_case, huge_cell, respell_numbers, rescale_numbers,
    truths_as_numbers, drop_column, rename_column, swap_names, repeat_column, spoil_repeated_column,
    add_column, many_columns, reorder_columns, rotate_columns, shuffle_rows, sort_rows, drop_rows,
    repeat_rows, replace_row, add_row, repeat_header, drop_header, header_only, shorten_row,
    lengthen_row, lengthen_rows, label_rows,
]  # fmt: skip
