"""Sums of prepared tables, and the published ones by edition.

``checksums.yaml`` holds the md5 sum of the zip, and a section for each edition::

    zip: 67c177886736583aff9b947e121395a9
    v1:
      public:
        train.csv: 564a1614ecef9d9611cec4efdce4c412
      private:
        test.csv: 1cb99c65efecaba968128577722a83ef
      content:                     # what the tables hold, in one of two forms
        public/meta.parquet: 0f8f...
        public/train.csv:
          rows: 10
          columns: {id: 3c90..., feature: ef0a..., value: 8c97...}

The original's form, with ``public`` and ``private`` at the top, means v1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from mlebench.data.content import TableContent, content_digest, contents_of
from mlebench.errors import ConfigError
from mlebench.registry.competition import Competition
from mlebench.registry.facts import Edition
from mlebench.registry.yaml_files import load_yaml
from mlebench.writing import written_whole

__all__ = [
    "Checksums",
    "PublishedContent",
    "by_path",
    "checksums_of",
    "content_digest",
    "file_digest",
    "has_tables",
    "load_checksums",
    "prepared_checksums",
    "prepared_contents",
    "published_checksums",
    "save_checksums",
    "sums_to_record",
]

# What is published about the content of a table: all of it, or its one digest.
PublishedContent = str | TableContent

COVERED_SUFFIXES = frozenset({".csv", ".json", ".jsonl", ".parquet", ".bson"})


class Checksums(TypedDict, total=False):
    """The sums of one edition; what is not published is not there."""

    zip: str
    public: dict[str, str]
    private: dict[str, str]
    content: dict[str, PublishedContent]


class _Section(msgspec.Struct, forbid_unknown_fields=True):
    public: dict[str, str] | None = None
    private: dict[str, str] | None = None
    content: dict[str, PublishedContent] | None = None


class _File(_Section, forbid_unknown_fields=True):
    zip: str | None = None
    v1: _Section | None = None
    v2: _Section | None = None


def file_digest(path: Path, algorithm: str = "md5") -> str:
    """The hex digest of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def checksums_of(
    folder: Path, suffixes: Set[str] = COVERED_SUFFIXES, unwanted: Set[Path] = frozenset()
) -> dict[str, str]:
    """Md5 sums of the tables directly in a folder, or of files of other kinds.

    Args:
        folder: The folder.
        suffixes: Which kinds of files.
        unwanted: Which files to leave out.
    """
    tables = sorted(
        path
        for path in folder.iterdir()
        if path.suffix in suffixes and path not in unwanted and path.is_file()
    )
    with ThreadPoolExecutor() as threads:
        return dict(
            zip((path.name for path in tables), threads.map(file_digest, tables), strict=True)
        )


def prepared_checksums(prepared: Path) -> Checksums:
    """The md5 sums of the tables in the two parts of prepared data."""
    return {
        "public": checksums_of(prepared / "public"),
        "private": checksums_of(prepared / "private"),
    }


def prepared_contents(
    competition: Competition, prepared: Path, sums: Checksums
) -> dict[str, TableContent]:
    """What the tables hold, and the other files that are compared by content."""
    names = dict.fromkeys([*by_path(sums), *competition.facts.compare_by_content])
    return contents_of(prepared, (name for name in names if (prepared / name).is_file()))


def by_path(sums: Checksums) -> dict[str, str]:
    """The md5 sums of both parts under names such as ``public/train.csv``."""
    parts = {"public": sums.get("public", {}), "private": sums.get("private", {})}
    return {f"{part}/{name}": sum_ for part, files in parts.items() for name, sum_ in files.items()}


def load_checksums(path: Path, edition: Edition = "v1") -> Checksums | None:
    """The published sums of one edition, if the competition publishes any sums at all."""
    file = _read(path)
    if file is None:
        return None
    section = getattr(file, edition) or _Section()
    return msgspec.convert(_plain({"zip": file.zip} | _plain(section)), Checksums)


def has_tables(sums: Checksums) -> bool:
    """Whether more is published than the sum of the zip."""
    return bool(sums.keys() - {"zip"})


def published_checksums(competition: Competition) -> Checksums | None:
    """The sums to expect of a competition's data in its edition.

    They are those of v1 where none are known and nothing in the preparation differs.
    """
    path, edition = competition.checksums, competition.edition
    own = load_checksums(path, edition)
    if own is None or has_tables(own):
        return own
    differs = competition.task is not None and competition.task.has_own("prepare")
    return own if differs else load_checksums(path, "v1")


def sums_to_record(
    competition: Competition, prepared: Path, sums: Checksums, archive: Path | None
) -> Checksums:
    """All that can be published about data: the sums of tables, what they hold, the zip's sum.

    Raises:
        ConfigError: A file is to be compared by content that has none.
    """
    found: Checksums = {**sums}
    if archive:
        found["zip"] = file_digest(archive)
    if competition.task:  # the original's form knows md5 sums only
        found["content"] = {**prepared_contents(competition, prepared, sums)}
        for name in competition.facts.compare_by_content:
            if name not in found["content"]:
                content_digest(prepared / name)  # says why there is none
    return found


def save_checksums(competition: Competition, sums: Checksums) -> None:
    """Record sums as the published ones of the competition's edition; others stay.

    The zip's sum is kept where there is no zip. A folder in the original's format keeps the
    original's form.
    """
    import yaml

    path = competition.checksums
    known = _read(path) or _File()
    section = _Section(sums["public"], sums["private"], sums.get("content") or None)
    editions = {"v1": known.v1, "v2": known.v2, competition.edition: section}
    digest = sums.get("zip", known.zip)
    content = {"zip": digest} | (editions if competition.task else _plain(section))
    with written_whole(path) as partial:
        partial.write_text(yaml.safe_dump(_plain(content), sort_keys=False), encoding="utf-8")


def _plain(value: Any) -> Any:
    """Dicts without what is not known."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.structs.asdict(value)
    if not isinstance(value, dict):
        return value
    return {key: _plain(inner) for key, inner in value.items() if inner is not None}


def _read(path: Path) -> _File | None:
    """The whole file, with the original's form turned into ours."""
    stated = load_yaml(path) if path.is_file() else None
    if stated is None:
        return None
    try:
        file = msgspec.convert(stated, _File)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{path}: {error}") from error
    flat = _Section(file.public, file.private, file.content)
    if flat == _Section():
        return file
    if file.v1:
        raise ConfigError(f"{path} states the sums of v1 twice: at the top and under v1.")
    return _File(zip=file.zip, v1=flat, v2=file.v2)
