"""What stands before preparations, as a table or for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.cli.logs import print_log_line
from mlebench.cli.output import echo, print_table, print_table_to_stderr, print_text
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


def print_outlooks(
    outlooks: Sequence[Outlook], data_dir: Path, *, at_once: int, wide: bool
) -> None:
    """Show all of them among what is logged, and what stands in the way of some of several."""
    from mlebench.data.outlook import free_bytes

    print_table_to_stderr(COLUMNS, outlook_rows(outlooks), wide=wide)
    print_log_line(room_sentence(outlooks, free_bytes(data_dir), at_once))
    if len(outlooks) > 1:  # the problem of a single one is the error of the command
        for sentence in problem_sentences(outlooks):
            print_log_line(sentence)


def print_outlook_table(outlooks: Sequence[Outlook], data_dir: Path, *, wide: bool) -> None:
    """Show all of them as a result, and what stands in the way of some."""
    from mlebench.data.outlook import AT_ONCE, free_bytes

    echo()
    print_table(COLUMNS, outlook_rows(outlooks), wide=wide)
    echo()
    room = room_sentence(outlooks, free_bytes(data_dir), AT_ONCE)
    for sentence in (room, *problem_sentences(outlooks)):
        print_text(sentence)


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


def room_sentence(outlooks: Sequence[Outlook], free: int, at_once: int) -> str:
    """The room that all of them take, as far as it is known, if so many are worked on at a time."""
    from mlebench.data.outlook import in_gigabytes, room_needed

    needs = [outlook.need for outlook in outlooks if outlook.need]
    has_unknown = any(outlook.has_unknown_need for outlook in outlooks)
    if needs:
        needed = ("at least " if has_unknown else "") + in_gigabytes(room_needed(needs, at_once))
    else:
        needed = "unknown" if has_unknown else "none"
    return f"Room needed: {needed}; free: {in_gigabytes(free)}."


def problem_sentences(outlooks: Sequence[Outlook]) -> list[str]:
    """Each reason why some cannot be prepared."""
    return sentences_by_reason(
        (outlook.competition_id, str(outlook.problem))
        for outlook in outlooks
        if outlook.problem and not isinstance(outlook.problem, TaskNotWrittenError)
    )


def sentences_by_reason(reasons: Iterable[tuple[str, str]]) -> list[str]:
    """Competitions with what is to be said of them, those together of which it is the same."""
    told: dict[str, list[str]] = {}
    for competition_id, reason in reasons:
        told.setdefault(reason, []).append(competition_id)
    return [f"{', '.join(ids)}: {reason}" for reason, ids in told.items()]


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
    return max(float(f"{size / 1e9:.3g}"), 0.001) if size else 0.0
