"""Whether prepared data are still as they were, and as published, without preparing again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from mlebench.data.checksums import (
    Checksums,
    by_path,
    has_tables,
    prepared_checksums,
    published_checksums,
)
from mlebench.data.comparing import file_difference
from mlebench.data.content import contents_of
from mlebench.data.folders import size_of
from mlebench.data.layout import HIDDEN
from mlebench.data.manifest import (
    Manifest,
    data_source,
    find_gap,
    is_begun,
    read_manifest,
)
from mlebench.data.remedies import describe_loss, prepare_command
from mlebench.data.settling import being_prepared, settled, unreadable
from mlebench.data.sources import BUNDLED
from mlebench.data.verifying import compare_prepared
from mlebench.errors import MlebenchError
from mlebench.registry.competition import Competition

Status = Literal[
    "verified",
    "unchanged",
    "changed",
    "incomplete",
    "being prepared",
    "not prepared",
    "unknown",
    "unreadable",
]

GOOD = ("verified", "unchanged", "unknown")
# Options with which preparing mends what is wrong.
REMEDIES = {"not prepared": (), "incomplete": ("--force",), "changed": ("--force",)}


@dataclass(frozen=True)
class Inspection:
    """What became of the prepared data of one competition in one edition.

    Attributes:
        competition_id: The competition.
        edition: The edition.
        status: ``verified`` if the published sums agree; ``unchanged`` if all is as it was
            prepared, but not known to be what is published; ``changed`` or ``incomplete`` if it
            is not as it was; ``being prepared`` if others change it time and again; ``not
            prepared``; ``unknown`` if there is nothing to compare with; ``unreadable`` if it must
            not be read, or what tells about it is damaged.
        sentences: What differs, and from what.
        remedy: The command that mends it, if something is wrong.
    """

    competition_id: str
    edition: str
    status: Status
    sentences: tuple[str, ...] = ()
    remedy: str | None = None

    @property
    def is_good(self) -> bool:
        """Whether the data could be looked at, and nothing contradicts what is known about them."""
        return self.status in GOOD


def inspect(competition: Competition) -> Inspection:
    """Compare prepared data with their manifest and with the published sums.

    Folders made by the original have no manifest and are compared with the published sums alone.
    Where somebody puts other data in their place meanwhile, those are looked at.
    """
    try:
        return _inspection(competition)
    except OSError as error:
        reason = unreadable(competition, error)
    except MlebenchError as error:  # what is published about it is damaged
        reason = str(error)
    return Inspection(competition.id, competition.edition, "unreadable", (reason,))


def _inspection(competition: Competition) -> Inspection:
    found = settled(competition, lambda: _findings(competition))
    status, sentences = found or ("being prepared", [being_prepared(competition)])
    names = competition.id, competition.edition, status
    if status not in REMEDIES:
        return Inspection(*names, tuple(sentences))
    if loss := describe_loss(competition):
        sentences = [*sentences, loss]
    options = [*REMEDIES[status], *_verification_options(competition)]
    return Inspection(*names, tuple(sentences), prepare_command(competition, *options))


def _verification_options(competition: Competition) -> list[str]:
    """What it takes to prepare data again that are not the published ones."""
    published = published_checksums(competition)
    has_own_data = data_source(competition) == "local"
    return ["--skip-verification"] if has_own_data and published and has_tables(published) else []


def _findings(competition: Competition) -> tuple[Status, list[str]]:
    gap = find_gap(competition)  # which may put data in place first
    manifest = read_manifest(competition)
    if gap:
        return "incomplete" if is_begun(competition) else "not prepared", [gap.reason]
    sums = prepared_checksums(competition.prepared_dir)
    if manifest:
        findings = [*_table_findings(competition, manifest, sums)]
        findings += _size_findings(competition, manifest, is_explained=bool(findings))
        if findings:
            is_lost = any(finding.is_lost for finding in findings)
            sentences = [finding.sentence for finding in findings]
            return "incomplete" if is_lost else "changed", sentences
    return _beside_published(competition, manifest, sums)


class _Finding(NamedTuple):
    """Something that is not as the manifest says."""

    sentence: str
    is_lost: bool


def _table_findings(
    competition: Competition, manifest: Manifest, sums: Checksums
) -> Iterator[_Finding]:
    """The tables that differ from the recorded ones, as far as they are on record."""
    prepared, contents = competition.prepared_dir, manifest.content
    recorded = by_path({"public": manifest.public_md5, "private": manifest.private_md5})
    made = by_path(sums)
    if not _is_thorough(manifest):
        made = {name: sum_ for name, sum_ in made.items() if name in recorded}
    suspects = {name for name in recorded | made if recorded.get(name) != made.get(name)}
    others = contents.keys() - recorded.keys()  # compared by content, and no tables by their name
    suspects |= {name for name in others if contents_of(prepared, [name]) != {name: contents[name]}}
    for name in sorted(suspects):
        path = prepared / name
        sentence = file_difference(path, name, recorded.get(name), contents.get(name))
        yield _Finding(sentence, is_lost=not path.is_file())


def _size_findings(
    competition: Competition, manifest: Manifest, *, is_explained: bool
) -> Iterator[_Finding]:
    """Whether there are as many files as recorded, and as many bytes unless tables differ."""
    if not _is_thorough(manifest):
        return
    size = size_of(competition.public_dir, competition.private_dir, leave_out=HIDDEN)
    if size.files != manifest.files:
        sentence = f"There are {size.files:,} files; {manifest.files:,} were prepared."
        yield _Finding(sentence, is_lost=size.files < manifest.files)
    elif size.bytes != manifest.bytes and not is_explained:
        sentence = f"The files have {size.bytes:,} bytes; those prepared had {manifest.bytes:,}."
        yield _Finding(sentence, is_lost=False)


def _beside_published(
    competition: Competition, manifest: Manifest | None, sums: Checksums
) -> tuple[Status, list[str]]:
    """The status of data of which nothing contradicts the manifest."""
    is_made_up = manifest is not None and manifest.source == "fixture"
    published = None if is_made_up else published_checksums(competition)
    if not published or not has_tables(published):
        if manifest:
            return "unchanged", []
        return "unknown", ["Nothing is published about these tables, and nothing was recorded."]
    if manifest and manifest.layout == "extracted":
        sums = _without_unpacked(sums, published)
    comparison = compare_prepared(competition, competition.prepared_dir, sums, published)
    was_published = manifest is not None and manifest.source in ("kaggle", BUNDLED)
    if comparison.agrees and (comparison.is_vouched_for or was_published):
        return "verified", []
    if manifest and (_is_thorough(manifest) or not was_published):
        return "unchanged", [f"Not as published: {told}" for told in comparison.sentences]
    if comparison.agrees:
        return "unknown", ["Some files can only be compared by content, which is not published."]
    return "incomplete" if comparison.missing else "changed", comparison.sentences


def _without_unpacked(sums: Checksums, published: Checksums) -> Checksums:
    """The sums without tables that are published inside archives only."""
    public = published.get("public", {})
    return {
        **sums,
        "public": {name: sum_ for name, sum_ in sums["public"].items() if name in public},
    }


def _is_thorough(manifest: Manifest) -> bool:
    """Whether all tables and the number of files are on record; once, only the answers were."""
    return manifest.files > 0
