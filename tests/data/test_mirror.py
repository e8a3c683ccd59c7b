"""Raw data from web servers, buckets and disks."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlebench.data import mirror
from mlebench.data.mirror import fetch_from_mirror, is_single, zip_address
from mlebench.data.patience import Patience
from mlebench.errors import DataSourceError, UnavailableError
from tests.kaggle_server import Failure, Kaggle, zip_of

fsspec = pytest.importorskip("fsspec")

ID = "a-task"
ARCHIVE = zip_of({"train.csv": random.Random(0).randbytes(300_000)})
CUT = 100_000


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://host/zips", "https://host/zips/a-task.zip"),
        ("https://host/zips/", "https://host/zips/a-task.zip"),
        ("https://host/zips?key=1", "https://host/zips/a-task.zip?key=1"),
        ("https://host/my.zip?key=1", "https://host/my.zip?key=1"),
        ("http://host/{id}/raw.zip", "http://host/a-task/raw.zip"),
        ("s3://bucket/{id}", "s3://bucket/a-task/a-task.zip"),
        ("memory://zips/", "memory://zips/a-task.zip"),
        ("file:///mnt/one.zip", "file:///mnt/one.zip"),
        ("/mnt/zips", "/mnt/zips/a-task.zip"),
    ],
)
def test_where_a_mirror_has_a_zip(url: str, address: str) -> None:
    assert zip_address(url, ID) == address


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("https://host/one.zip", True),
        ("https://host/one.zip?key=1", True),
        ("https://host/one.zip?of={id}", False),
        ("https://host/{id}.zip", False),
        ("https://host/zips", False),
        ("s3://bucket/one.zip", True),
        ("s3://bucket/{id}/all.zip", False),
    ],
)
def test_whether_it_is_one_zip_for_all(url: str, is_one: bool) -> None:
    assert is_single(url) == is_one


class TestWeb:
    """Over HTTP."""

    def test_a_zip_is_fetched_and_continued(
        self, kaggle: Kaggle, patience: Patience, tmp_path: Path
    ) -> None:
        kaggle.add_to_mirror(f"{ID}.zip", ARCHIVE)
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 1
        told: list[tuple[int, int | None]] = []
        path = fetch_from_mirror(
            kaggle.mirror, ID, tmp_path, patience=patience, on_bytes=lambda *now: told.append(now)
        )
        assert path == tmp_path / f"{ID}.zip"
        assert path.read_bytes() == ARCHIVE
        assert kaggle.storage.ranges == [None, f"bytes={CUT}-"]
        assert kaggle.storage.logins == [None, None]
        assert told[-1] == (len(ARCHIVE), len(ARCHIVE))

    def test_a_zip_that_is_there_is_not_fetched(self, kaggle: Kaggle, tmp_path: Path) -> None:
        kaggle.add_to_mirror(f"{ID}.zip", ARCHIVE)
        (tmp_path / f"{ID}.zip").write_bytes(b"mine")
        assert fetch_from_mirror(kaggle.mirror, ID, tmp_path).read_bytes() == b"mine"
        assert not kaggle.storage.ranges

    def test_a_missing_zip(self, kaggle: Kaggle, tmp_path: Path) -> None:
        with pytest.raises(
            DataSourceError,
            match=r"^The mirror 127\.0\.0\.1 does not have a-task\.zip \(404: .*Check the addr",
        ):
            fetch_from_mirror(kaggle.mirror, ID, tmp_path)
        assert not list(tmp_path.iterdir())

    def test_no_access_and_no_secrets(self, kaggle: Kaggle, tmp_path: Path) -> None:
        kaggle.storage.failures = [Failure(401, b"Who are you?")]
        url = kaggle.mirror.replace("//", "//me:secret@") + "?key=secret"
        with pytest.raises(
            DataSourceError, match=r"gives no access to a-task\.zip \(401: Who are you\?\)\.$"
        ):
            fetch_from_mirror(url, ID, tmp_path)

    def test_what_is_no_zip(self, kaggle: Kaggle, tmp_path: Path) -> None:
        kaggle.add_to_mirror(f"{ID}.zip", b"<html>Please log in</html>")
        with pytest.raises(DataSourceError, match="twice: it is not a whole zip"):
            fetch_from_mirror(kaggle.mirror, ID, tmp_path)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize(
        "url", ["http://[/", "http://a:b", "http:///zips", f"http://{ID * 99}"]
    )
    def test_an_address_that_is_none(self, url: str, tmp_path: Path) -> None:
        pytest.importorskip("httpx")
        with pytest.raises(DataSourceError, match=r"not the address of|an address that is none"):
            fetch_from_mirror(url, ID, tmp_path)


@pytest.fixture
def memory() -> Iterator[Any]:
    """A file system without a disk."""
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()


class TestFileSystems:
    """Through fsspec."""

    @pytest.mark.parametrize("form", ["file://{}", "{}"])
    def test_a_disk(self, form: str, tmp_path: Path) -> None:
        (tmp_path / f"{ID}.zip").write_bytes(ARCHIVE)
        path = fetch_from_mirror(form.format(tmp_path), ID, tmp_path / "data")
        assert path.read_bytes() == ARCHIVE
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    @pytest.mark.parametrize("is_changed", [False, True])
    def test_it_goes_on_where_it_stopped(
        self,
        is_changed: bool,
        memory: Any,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(mirror, "CHUNK_BYTES", CUT)
        memory.pipe(f"/zips/{ID}.zip", ARCHIVE)

        def stop(done: int, _: int | None) -> None:
            if (tmp_path / f"{ID}.zip.part").stat().st_size:
                raise KeyboardInterrupt

        monkeypatch.setattr("mlebench.data.receiving.SECONDS_BETWEEN_REPORTS", 0)
        with pytest.raises(KeyboardInterrupt):
            fetch_from_mirror("memory://zips", ID, tmp_path, on_bytes=stop)
        assert (tmp_path / f"{ID}.zip.part").stat().st_size == CUT
        if is_changed:
            memory.pipe(f"/zips/{ID}.zip", ARCHIVE)
        told: list[int] = []
        path = fetch_from_mirror(
            "memory://zips", ID, tmp_path, on_bytes=lambda done, _: told.append(done)
        )
        assert path.read_bytes() == ARCHIVE
        assert told[0] == (0 if is_changed else CUT)

    def test_a_storage_that_fails_for_a_while(
        self,
        memory: Any,
        patience: Patience,
        waits: list[float],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        memory.pipe(f"/zips/{ID}.zip", ARCHIVE)
        open_at_once, failures = type(memory)._open, [OSError("Down"), TimeoutError("Slow")]

        def open_or_fail(*args: Any, **options: Any) -> Any:
            if failures:
                raise failures.pop()
            return open_at_once(*args, **options)

        monkeypatch.setattr(type(memory), "_open", open_or_fail)
        path = fetch_from_mirror("memory://zips", ID, tmp_path, patience=patience)
        assert path.read_bytes() == ARCHIVE
        assert len(waits) == 2
        path.unlink()
        failures += [OSError("Down")] * 4
        with pytest.raises(UnavailableError, match=r"a-task\.zip cannot be read: Down\..* 4 times"):
            fetch_from_mirror("memory://zips", ID, tmp_path, patience=patience)

    def test_a_missing_zip(self, memory: Any, tmp_path: Path) -> None:
        with pytest.raises(
            DataSourceError,
            match=r"^The mirror does not have memory://zips/a-task\.zip\. Check the address\.$",
        ):
            fetch_from_mirror("memory://zips", ID, tmp_path)
        assert not list(tmp_path.iterdir())

    def test_no_access(self, memory: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError("Forbidden")

        monkeypatch.setattr(type(memory), "info", refuse)
        with pytest.raises(DataSourceError, match=r"no access to memory:.*Forbidden\. Log in as"):
            fetch_from_mirror("memory://zips", ID, tmp_path)

    def test_a_missing_package_for_a_kind_of_mirror(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "s3fs", None)
        with pytest.raises(DataSourceError, match=r"s3://zips/a-task\.zip needs .*install s3fs$"):
            fetch_from_mirror("s3://zips", ID, tmp_path)

    def test_a_missing_library(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "fsspec.core", None)
        with pytest.raises(DataSourceError, match=r"pip install 'mlebench\[mirror\]'"):
            fetch_from_mirror("s3://zips", ID, tmp_path)

    def test_an_unknown_kind_of_mirror(self, tmp_path: Path) -> None:
        with pytest.raises(DataSourceError, match=r"wire://zips.* \(ValueError: .*Check address"):
            fetch_from_mirror("wire://zips", ID, tmp_path)
