"""Tables as graders that are mere functions expect them: read by pandas, no questions asked."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.versions import round_trip_option

if TYPE_CHECKING:
    import pandas as pd


def read_csv(*args: Any, **kwargs: Any) -> pd.DataFrame:
    """Read a csv with exactly rounded floats; an empty file gives an empty frame."""
    import pandas as pd

    try:
        frame: pd.DataFrame = pd.read_csv(*args, **{**round_trip_option(), **kwargs})
    except pd.errors.EmptyDataError:
        source = args[0] if args else kwargs.get("filepath_or_buffer")
        warnings.warn(f"The csv file {source} is empty.", stacklevel=2)
        return pd.DataFrame()
    return frame


def load_answers(path_to_answers: Path | str) -> Any:
    """Answers by file type: a table for csv, a list of records for jsonl."""
    path = Path(path_to_answers)
    if path.suffix == ".csv":
        return read_csv(path)
    if path.suffix == ".jsonl":
        with path.open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.strip()]
    raise ValueError(f"Unsupported file format for answers: {path}")
