"""What stands before preparations, as a table or for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.cli.logs import print_log_line
from mlebench.cli.output import print_table_to_stderr
from mlebench.cli.progress import print_event
from mlebench.cli.tables import Cell, Column
from mlebench.errors import TaskNotWrittenError

if TYPE_CHECKING:
    from mlebench.data.outlook import Outlook

COLUMNS = (
    Column("competition"),
    Column("from"),
    Column("rules", rank=1),
    Column("download GB", rank=4),
    Column("extracted GB", rank=3),
    Column("prepared GB", rank=2),
)


def print_outlooks(outlooks: Sequence[Outlook], data_dir: Path) -> None:
    """Show all of them among what is logged, and what stands in the way of some."""
    from mlebench.data.outlook import free_bytes

    print_table_to_stderr(COLUMNS, outlook_rows(outlooks))
    for sentence in outlook_sentences(outlooks, free_bytes(data_dir)):
        print_log_line(sentence)


def outlook_rows(outlooks: Sequence[Outlook]) -> list[list[Cell]]:
    """A row for each competition."""
    return [
        [
            outlook.competition_id,
            outlook.source,
            outlook.rules,
            *(
                [None] * 3
                if outlook.need is None
                else [_gigabytes(size) for size in asdict(outlook.need).values()]
            ),
        ]
        for outlook in outlooks
    ]


def outlook_sentences(outlooks: Sequence[Outlook], free: int) -> list[str]:
    """The room that all of them take, and each reason why some cannot be prepared."""
    from mlebench.data.outlook import in_gigabytes

    needs = [outlook.need for outlook in outlooks if outlook.need]
    total = sum(need.lasting for need in needs)
    largest = max((need.most - need.lasting for need in needs), default=0)
    reasons: dict[str, list[str]] = {}
    for outlook in outlooks:
        if outlook.problem and not isinstance(outlook.problem, TaskNotWrittenError):
            reasons.setdefault(str(outlook.problem), []).append(outlook.competition_id)
    needed = in_gigabytes(total + largest)
    room = f"Room: about {needed} needed, {in_gigabytes(free)} free."
    return [
        *([room] if needs else []),
        *(f"{', '.join(ids)}: {reason}" for reason, ids in reasons.items()),
    ]


def print_outlook_events(outlooks: Sequence[Outlook]) -> None:
    """Tell programs."""
    for outlook in outlooks:
        print_event(
            "outlook",
            competition_id=outlook.competition_id,
            source=outlook.source,
            rules=outlook.rules,
            need=asdict(outlook.need) if outlook.need else None,
            problem=str(outlook.problem) if outlook.problem else None,
        )


def _gigabytes(size: float) -> float:
    return float(f"{size / 1e9:.3g}")
