"""Whoever looks at data which others prepare or remove meanwhile finds the one or the other."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.data import inspecting, inventory, settling
from mlebench.data.inspecting import inspect
from mlebench.data.inventory import disk_use, holding, remove_parts
from mlebench.data.layout import LOCK_FILE
from mlebench.data.locks import exclusive
from mlebench.data.prepare import prepare
from mlebench.registry.competition import Competition


def first_of_all(act: Callable[[], object], then: Callable[..., object]) -> Callable[..., object]:
    """A function before whose first call something happens."""
    left = [act]

    def call(*arguments: object) -> object:
        if left:
            left.pop()()
        return then(*arguments)

    return call


def touch(path: Path) -> None:
    """Change when a file was written, however fast one change follows another."""
    later = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(later, later))


def others_prepare(competition: Competition, raw: Path) -> None:
    (raw / "train.csv").chmod(0o644)
    rows = (raw / "train.csv").read_text().splitlines(keepends=True)
    (raw / "train.csv").write_text("".join(rows[:-5]))
    prepare(competition, raw, force=True)


def test_data_prepared_anew_meanwhile_are_not_taken_for_changed(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    look = first_of_all(lambda: others_prepare(mine, raw), inspecting.prepared_checksums)
    monkeypatch.setattr(inspecting, "prepared_checksums", look)
    assert inspect(mine).status == "unchanged"


@pytest.mark.parametrize("look", [inspect, holding])
def test_data_removed_meanwhile_are_not_prepared(
    look: Callable[[Competition], object],
    mine: Competition,
    raw: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepare(mine, raw)
    for module in (inspecting, inventory):
        again = first_of_all(lambda: remove_parts(mine, ["prepared"]), module.read_manifest)
        monkeypatch.setattr(module, "read_manifest", again)
    assert look(mine).status == "not prepared"  # type: ignore[attr-defined]


def test_data_that_others_change_time_and_again_are_being_prepared(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    monkeypatch.setattr(settling, "PAUSE_SECONDS", 0)
    manifest = mine.prepared_dir / "prepared.json"

    def lose(*_: object) -> None:
        touch(manifest)
        raise FileNotFoundError

    monkeypatch.setattr(inspecting, "prepared_checksums", lose)
    monkeypatch.setattr(inventory, "find_gap", lose)
    found = inspect(mine)
    assert (found.status, found.is_good) == ("being prepared", False)
    assert holding(mine).status == "being prepared"


def test_what_was_half_seen_each_time_does_not_count(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    monkeypatch.setattr(settling, "PAUSE_SECONDS", 0)

    def touched(then: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            touch(mine.prepared_dir / "prepared.json")
            return then(*arguments)

        return call

    monkeypatch.setattr(inspecting, "prepared_checksums", touched(inspecting.prepared_checksums))
    monkeypatch.setattr(inventory, "read_manifest", touched(inventory.read_manifest))
    assert inspect(mine).status == "being prepared"
    assert holding(mine).status == "being prepared"


def test_whoever_takes_long_to_put_data_in_place_is_found_at_it(
    mine: Competition, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(mine, raw)
    monkeypatch.setattr(settling, "PAUSE_SECONDS", 0)
    marker = (mine.prepared_dir / "prepared.json").read_bytes()
    (mine.prepared_dir / ".publishing").write_bytes(marker)
    with exclusive(mine.data_dir / LOCK_FILE):
        assert holding(mine).status == "incomplete"
        assert "is being prepared" in inspect(mine).sentences[0]
    assert holding(mine).status == "prepared"


def test_what_goes_meanwhile_takes_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/file", "b/file"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    scandir = os.scandir

    def list_late(path: Path) -> object:
        with scandir(path) as entries:
            found = [*entries]
        for entry in found:
            shutil.rmtree(entry.path) if entry.is_dir() else Path(entry.path).unlink()
        return scandir(path) if not found else _Listed(found)

    monkeypatch.setattr(inventory.os, "scandir", list_late)
    assert disk_use([tmp_path, tmp_path / "none"], set()) >= 0


class _Listed(list[os.DirEntry[str]]):
    """What a folder held."""

    def __enter__(self) -> _Listed:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open."""
