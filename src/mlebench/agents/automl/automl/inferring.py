"""What is asked for, read off the files of a competition: its tables, sample and description."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .description import description_of, metric_of
from .finding import read_files
from .posing import pose
from .problem import CannotInferError, Problem


def infer(data: Path, memory: int) -> Problem:
    """The problem that the files of a competition pose.

    Args:
        data: The public data.
        memory: How many bytes there are for all.

    Raises:
        CannotInferError: It is not one of those that can be learned in rows.
    """
    files = read_files(data, memory)
    told, reasons = description_of(data)
    files = replace(files, unread=(*files.unread, *reasons))
    try:
        return pose(files, metric_of(told), data)
    except CannotInferError as error:
        raise CannotInferError(" ".join([str(error), *files.unread])) from error
