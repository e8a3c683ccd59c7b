"""What pandas 2.2 made of a csv, whichever pandas is installed; slow and plain.

All releases split the files we accept into the same cells, so the installed one does that
here; types are given by its rules, cell by cell. Nothing here uses `mlebench.submission`.
Where pandas 2.2 is installed, `tests/submission/test_reading.py` compares with it.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MISSING = {
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
}  # fmt: skip
SPACE = " \t\n\v\f\r"
FLOAT = re.compile(r"[+-]?(\d++(\.\d*+)?+|\.\d++)([eE][+-]?\d++)?+", re.ASCII)
NAN = float("nan")


class UnreadableError(Exception):
    """There is no table in the file."""


def read(path: Path) -> pd.DataFrame:
    """The table in a csv.

    Raises:
        UnreadableError: There is none, or releases of pandas disagree about the lines.
    """
    data = path.read_bytes()
    if b"\0" in data or has_misread_line(data.decode("latin-1").removeprefix("ï»¿")):
        raise UnreadableError
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cells = pd.read_csv(path, dtype=str, na_filter=False, low_memory=False)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()
    except (ValueError, OverflowError) as error:
        raise UnreadableError from error
    columns = {name: column(cells[name].tolist()) for name in cells.columns}
    return pd.DataFrame(columns, columns=list(cells.columns))


def has_misread_line(text: str) -> bool:
    """Whether a line begins with a blank behind a lone carriage return.

    Or with a comma, if the line that ends there is blank.
    """
    if not re.search("\r(?!\n)", text):
        return False
    record, cell, misread = "", "begins", ""
    for letter in re.findall("\r\n|.", text + "\n", re.DOTALL):
        if cell == "is quoted":
            cell = "is closed" if letter == '"' else cell
        elif letter == '"' and cell in ("begins", "is closed"):
            cell = "is quoted"
        elif letter in ("\r", "\n", "\r\n"):
            is_blank = not record.strip(" \t")
            if not is_blank and record[0] in misread:
                return True
            misread = "" if letter != "\r" else " \t," if is_blank else " \t"
            record, cell = "", "begins"
            continue
        else:
            cell = "begins" if letter == "," else "is plain"
        record += letter
    return False


def column(cells: list[str]) -> pd.Series[Any]:
    """The column that pandas 2.2 made of these cells."""
    kind, values = infer(cells)
    return pd.Series(values, dtype={"text": object}.get(kind, kind))


def infer(cells: list[str]) -> tuple[str, list[Any]]:
    """Its type and its values."""
    present = [cell for cell in cells if cell not in MISSING]
    text = "text", [NAN if cell in MISSING else cell for cell in cells]
    if not cells:
        return text
    if not present:
        return "float64", [NAN] * len(cells)
    # Cells were tried as whole numbers until one was not, or did not fit.
    beyond = None
    for cell in present:
        if not (whole := whole_part(cell)):
            break
        if not -(2**63) <= int(whole) < 2**63:
            beyond = cell
            break
        if not is_whole(cell):
            break
    else:
        numbers = [None if cell in MISSING else int(whole_part(cell)) for cell in cells]
        if None not in numbers:
            return "int64", numbers
        return "float64", [NAN if n in (None, -(2**63)) else float(n or 0) for n in numbers]
    if beyond and (verdict := infer_unsigned(cells, present)):
        return verdict
    if all(as_float(cell) is not None for cell in present):
        return "float64", [NAN if cell in MISSING else as_float(cell) for cell in cells]
    if all(cell.lower() in ("true", "false") for cell in present):
        truth = [NAN if cell in MISSING else cell.lower() == "true" for cell in cells]
        return ("bool" if present == cells else "text"), truth
    return text


def infer_unsigned(cells: list[str], present: list[str]) -> tuple[str, list[Any]] | None:
    """What a whole number beyond the signed ones led to; nothing if floats came next."""
    text = "text", [NAN if cell in MISSING else cell for cell in cells]
    large = negative = False
    for cell in present:
        if cell.strip(SPACE).startswith("-"):
            negative = True
        elif (whole := whole_part(cell)) and int(whole) >= 2**64:
            return text
        elif not is_whole(cell):
            return None
        else:
            large = large or int(whole) >= 2**63
    if large and (negative or len(present) < len(cells)):
        return "text", list(cells)
    return text if negative else ("uint64", [int(cell) for cell in cells])


def whole_part(cell: str) -> str:
    """The whole number that a cell begins with, or nothing; huge ones are cut."""
    match = re.match(r"([+-]?)0*(\d+)", cell.lstrip(SPACE), re.ASCII)
    return match[1] + match[2][:30] if match else ""


def is_whole(cell: str) -> bool:
    return re.fullmatch(r"[+-]?\d+", cell.strip(SPACE), re.ASCII) is not None


def as_float(cell: str) -> float | None:
    """The value of a number, or nothing."""
    if FLOAT.fullmatch(cell.strip(SPACE)):
        value = float(cell)
        return None if value == np.inf else value  # -1e400 passed
    words = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
    return float(cell) if cell.lower() in words else None
