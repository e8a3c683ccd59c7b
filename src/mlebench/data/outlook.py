"""What preparing competitions will take, before anything is begun: login, rules, room."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from heapq import nlargest
from pathlib import Path

from mlebench.data.inventory import disk_use, places
from mlebench.data.manifest import is_prepared
from mlebench.data.raw import is_archive
from mlebench.data.remedies import prepare_command
from mlebench.data.sources import (
    AtHand,
    FromKaggle,
    FromPackage,
    Source,
    choose_source,
    without_kaggle,
)
from mlebench.disks import existing_part
from mlebench.errors import (
    DataSourceError,
    MlebenchError,
    RulesNotAcceptedError,
    UnreadableFileError,
    UnwritableFolderError,
)
from mlebench.quantities import size_in_words
from mlebench.registry import Registry
from mlebench.registry.competition import Competition

GIGABYTE = 1e9
# Categories whose data are mostly media files, which are linked and take no further room.
LINKED = ("Image", "Audio", "Object", "Video")
SHARE_OF_TABLES = 0.1
# In the place of a source.
PREPARED, NOWHERE = "prepared", "-"
AT_A_TIME = 4  # questions to Kaggle, which counts them
AT_ONCE = 4
"""How many `prepare` works on unless it is told otherwise: two, while two more download."""


@dataclass(frozen=True)
class Need:
    """The bytes that a preparation takes up, as far as sizes are known beforehand."""

    download: int = 0
    extracted: int = 0
    prepared: int = 0

    @property
    def most(self) -> int:
        """At the same time, just before what the data were made from is removed."""
        return self.download + self.extracted + self.prepared

    @property
    def lasting(self) -> int:
        """In the end: media files are the extracted ones, tables are written anew."""
        return max(self.extracted, self.prepared)


@dataclass
class _Room:
    """The room that preparations take up which are begun one after the other.

    Those before each will be there, and as many as are worked on beside it will not have removed
    yet what they were made from.
    """

    at_once: int
    lasting: int = 0
    passing: list[int] = field(default_factory=list)

    def beside(self) -> list[int]:
        """What the others at most take for a while that are worked on beside the next one."""
        return [size for size in nlargest(self.at_once - 1, self.passing) if size]

    def add(self, need: Need) -> None:
        """Begin the next one."""
        self.lasting += need.lasting
        self.passing.append(need.most - need.lasting)


@dataclass(frozen=True)
class Outlook:
    """What stands before the preparation of one competition.

    Attributes:
        competition_id: The competition.
        source: Where its raw data come from, in a word; ``prepared`` if nothing is to be done.
        rules: ``accepted``, ``not accepted``, ``unknown``, or none where nobody asks, be it for
            want of a login that Kaggle takes.
        need: The room it takes; none if its size is not known.
        problem: Why it cannot be prepared, if so.
    """

    competition_id: str
    source: str
    rules: str | None = None
    need: Need | None = None
    problem: MlebenchError | None = None

    @property
    def has_unknown_need(self) -> bool:
        """Whether it takes room, but nobody knows how much."""
        return self.need is None and self.has_work

    @property
    def has_work(self) -> bool:
        """Whether data are to be made, from what is known to be somewhere."""
        return self.source not in (PREPARED, NOWHERE)


def look_ahead(
    sources: Mapping[str, str | None],
    registry: Registry,
    *,
    force: bool = False,
    layout: str | None = None,
    at_once: int = AT_ONCE,
    has_own: bool = True,
) -> list[Outlook]:
    """The outlook for all of these competitions.

    Args:
        sources: For each competition the source that the user named.
        registry: Knows the competitions.
        force: What is prepared is to be prepared again.
        layout: What is prepared in another layout is to be prepared again, too.
        at_once: How many are worked on at a time; 0 asks for no room.
        has_own: Whether Kaggle is asked about competitions of the user's own, too, which it may
            or may not have.
    """
    found = [
        _at_first_sight(name, source, registry, force, layout) for name, source in sources.items()
    ]
    if not has_own:
        found = [_not_from_kaggle(outlook, registry) for outlook in found]
    asked = _with_rules(found)
    return _with_room(asked, registry.get_data_dir(), at_once) if at_once else asked


def room_needed(needs: Iterable[Need], at_once: int) -> int:
    """The bytes that all of them take up at the same time, if so many are worked on at a time."""
    room, most = _Room(at_once), 0
    for need in needs:
        most = max(most, room.lasting + sum(room.beside()) + need.most)
        room.add(need)
    return most


def in_gigabytes(size: float) -> str:
    """A number of bytes for people, who compare gigabytes; what is small has a smaller unit."""
    if size >= GIGABYTE / 1000:
        return f"{size / GIGABYTE:.3g} GB"
    return size_in_words(float(f"{size:.3g}"))


def free_bytes(folder: Path) -> int:
    """The room on the disk of a folder, which need not exist yet."""
    return shutil.disk_usage(existing_part(folder)).free


def _at_first_sight(
    name: str, named: str | None, registry: Registry, force: bool, layout: str | None
) -> Outlook:
    """What can be told without asking anybody."""
    try:
        competition = registry.get_competition(name)
        if not force and is_prepared(competition, layout=layout):
            return Outlook(name, PREPARED)
        if competition.task:
            competition.task.require_written()
        source = choose_source(competition, named)
        return Outlook(name, source.kind, need=_need(competition, source))
    except MlebenchError as error:
        return Outlook(name, NOWHERE, problem=error)
    except OSError as error:  # of this one, which must not keep the others from being prepared
        problem = UnreadableFileError(
            f"{error.filename or registry.get_data_dir()} cannot be read: {error.strerror}. Ask "
            "for the right to read it, or choose another folder with --data-dir."
        )
        return Outlook(name, NOWHERE, problem=problem)


def _not_from_kaggle(outlook: Outlook, registry: Registry) -> Outlook:
    """The outlook; of a competition of the user's own, for what there is without Kaggle.

    Folders in the original's format are about competitions of Kaggle's.
    """
    if outlook.source != FromKaggle.kind:
        return outlook
    competition = registry.get_competition(outlook.competition_id)
    if competition.task is None or registry.is_built_in(competition.id):
        return outlook
    problem = DataSourceError(
        f"{competition.id} is a competition of your own, whose raw data are not here. Name them "
        f"with --from, or make some up: {prepare_command(competition)}"
    )
    return replace(outlook, source=NOWHERE, need=None, problem=problem)


def _need(competition: Competition, source: Source) -> Need | None:
    size = competition.facts.size_gb
    extracted = int(size * GIGABYTE) if size else None
    if isinstance(source, FromPackage):
        download, unpacked = 0, 0
    elif isinstance(source, AtHand):
        if source.path.is_dir():
            download, unpacked = 0, 0
        else:
            extracted = _unpacked_size(source.path) or extracted
            download, unpacked = 0, extracted or 0
    else:
        download = unpacked = extracted or 0  # which a zip is seldom longer than
    if extracted is None:
        return None
    is_linked = competition.facts.category.startswith(LINKED)
    prepared = int(extracted * (SHARE_OF_TABLES if is_linked else 1))
    # Whoever goes on has some of it already.
    there = disk_use(places(competition, "unfinished"), set())
    return Need(max(download - there, 0), max(unpacked - max(there - download, 0), 0), prepared)


def _unpacked_size(archive: Path) -> int | None:
    """What the members of a zip say that they take; other archives would have to be read."""
    if not is_archive(archive):
        return None
    try:
        with zipfile.ZipFile(archive) as members:
            return sum(info.file_size for info in members.infolist())
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return None  # told when it is unpacked


def _with_rules(outlooks: Sequence[Outlook]) -> list[Outlook]:
    """Ask Kaggle whether there is a login, and for which competitions it may download."""
    asked = [outlook for outlook in outlooks if outlook.source == FromKaggle.kind]
    if not asked:
        return [*outlooks]
    from mlebench.data.kaggle import KaggleClient

    client = KaggleClient()
    try:
        client.check_login()
    except MlebenchError as error:
        problem = without_kaggle(error)
        told = {outlook.competition_id: replace(outlook, problem=problem) for outlook in asked}
    else:

        def ask(outlook: Outlook) -> Outlook:
            try:
                accepted = client.rules_accepted(outlook.competition_id)
            except MlebenchError as error:
                return replace(outlook, rules="unknown", problem=without_kaggle(error))
            if accepted is None:
                return replace(outlook, rules="unknown")
            if accepted:
                return replace(outlook, rules="accepted")
            refusal = RulesNotAcceptedError.of(outlook.competition_id)
            return replace(outlook, rules="not accepted", problem=refusal)

        with ThreadPoolExecutor(AT_A_TIME) as threads:
            told = {outlook.competition_id: outlook for outlook in threads.map(ask, asked)}
    return [told.get(outlook.competition_id, outlook) for outlook in outlooks]


def _with_room(outlooks: Sequence[Outlook], data_dir: Path, at_once: int) -> list[Outlook]:
    """Find the competitions for which no room will be left."""
    free, room = free_bytes(data_dir), _Room(at_once)
    checked = []
    for outlook in outlooks:
        if outlook.problem or outlook.need is None:
            checked.append(outlook)
        elif outlook.need.most + sum(room.beside()) > free - room.lasting:
            problem = _no_room(outlook.competition_id, outlook.need, room, data_dir, free)
            checked.append(replace(outlook, problem=problem))
        else:
            room.add(outlook.need)
            checked.append(outlook)
    return checked


def _no_room(name: str, need: Need, room: _Room, data_dir: Path, free: int) -> MlebenchError:
    """Why there is no room for a competition, in figures that show it."""
    beside, fewer = "", ""
    if others := room.beside():
        whose = f"{len(others)} others that are" if len(others) > 1 else "another one that is"
        beside = f" ({in_gigabytes(need.most + sum(others))} beside {whose} worked on then)"
        fewer = "work on fewer at a time with --jobs, " if room.at_once > 2 else ""
    return UnwritableFolderError(
        f"{name} takes about {in_gigabytes(need.most)} while it is prepared{beside}, and "
        f"{data_dir} has {in_gigabytes(free - room.lasting)} left for it. Make room, {fewer}"
        "choose another folder with --data-dir, or try all the same with --skip-room-check."
    )
