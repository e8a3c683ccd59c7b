"""Downloads over real sockets that are cut, stalled, damaged and killed, and go on."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mlebench.data.kaggle import KaggleClient
from mlebench.data.locks import exclusive
from mlebench.data.patience import Patience
from mlebench.data.receiving import PROGRESS_BYTES
from mlebench.data.transfer import Link, download
from mlebench.errors import BusyError, DataSourceError, UnavailableError
from tests.helpers import file_digests
from tests.kaggle_server import Failure, Kaggle, zip_of
from tests.kaggle_storage import EXPIRED, LAST_MODIFIED, md5_of

ID = "a-task"
FILES = {"train.csv": random.Random(0).randbytes(300_000)}
ARCHIVE = zip_of(FILES)
CUT = 100_000

Fetch = Callable[[], Path]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "data" / f"{ID}.zip"


@pytest.fixture
def fetch(kaggle: Kaggle, patience: Patience, target: Path) -> Fetch:
    """Download the competition's archive."""
    kaggle.competitions = {ID: FILES}
    client = KaggleClient(patience=patience)
    return lambda: client.download_all(ID, target.parent, force=True)


def assert_whole(target: Path) -> None:
    assert target.read_bytes() == ARCHIVE
    assert [path.name for path in target.parent.iterdir()] == [target.name]


def part_of(target: Path) -> Path:
    return target.with_name(f"{target.name}.part")


def leave_part(kaggle: Kaggle, target: Path) -> None:
    """What a process leaves behind that lost its connection once and for all."""
    kaggle.storage.cut_after, kaggle.storage.cuts = CUT, None
    impatient = KaggleClient(patience=Patience(tries=1))
    with pytest.raises(UnavailableError, match="tried once"):
        impatient.download_all(ID, target.parent)
    kaggle.storage.cut_after = None
    assert part_of(target).stat().st_size == CUT
    kaggle.storage.ranges.clear()


def test_nothing_goes_wrong(fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
    assert fetch() == target
    assert_whole(target)
    assert kaggle.storage.ranges == [None]


def test_progress_is_told(kaggle: Kaggle, fetch: Fetch, target: Path) -> None:
    told: list[tuple[int, int | None]] = []
    kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 1
    client = KaggleClient(patience=Patience(wait=lambda _: None))
    client.download_all(ID, target.parent, on_bytes=lambda *now: told.append(now))
    assert told[0] == (0, len(ARCHIVE))
    assert (CUT, len(ARCHIVE)) in told
    assert told[-1] == (len(ARCHIVE), len(ARCHIVE))
    assert told == sorted(told)


class TestResume:
    """What has arrived is not fetched again."""

    def test_after_cut_connections(
        self, fetch: Fetch, kaggle: Kaggle, target: Path, waits: list[float]
    ) -> None:
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 2
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [None, f"bytes={CUT}-", f"bytes={2 * CUT}-"]
        assert len(waits) == 2

    def test_in_a_later_process(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        leave_part(kaggle, target)
        facts = json.loads(part_of(target).with_suffix(".part.json").read_text())
        etag = f'"1-{len(ARCHIVE)}"'
        assert facts == {"validator": etag, "size": len(ARCHIVE), "md5": md5_of(ARCHIVE)}
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-"]

    def test_by_date_where_there_is_no_strong_mark(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.etag = "weak"
        leave_part(kaggle, target)
        facts = json.loads(part_of(target).with_suffix(".part.json").read_text())
        assert facts["validator"] == LAST_MODIFIED
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-"]

    def test_never_without_any_mark(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        kaggle.storage.etag = "none"
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 1
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [None, None]

    def test_never_of_another_version(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        leave_part(kaggle, target)
        part_of(target).write_bytes(b"x" * CUT)
        kaggle.storage.version += 1
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-"]

    def test_never_of_a_version_that_changes_all_the_time(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.is_restless = True
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 2
        fetch()
        assert_whole(target)

    def test_from_a_server_without_ranges(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        kaggle.storage.has_ranges = False
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 1
        fetch()
        assert_whole(target)
        assert len(kaggle.storage.ranges) == 2

    @pytest.mark.parametrize(
        "answer",
        [
            Failure(416, b"", {"Content-Range": "bytes */1"}),
            Failure(206, b"x", {"Content-Range": f"bytes 5-5/{len(ARCHIVE)}"}),
            Failure(206, b"x", {"Content-Range": f"bytes {CUT}-{CUT}/{CUT + 1}"}),
            Failure(206, b"x", {"Content-Range": f"bytes {CUT}-{CUT}/*", "ETag": '"other"'}),
            Failure(206, b"x"),
            Failure(206, b"x", {"Content-Range": f"bytes {'1' * 5000}-2/3"}),
        ],
        ids=["out of range", "another place", "another size", "another mark", "no place", "odd"],
    )
    def test_a_range_that_does_not_fit_starts_over(
        self, answer: Failure, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        kaggle.storage.failures = [answer]
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-", None]

    @pytest.mark.parametrize(
        "content", [b"", b"{", b'{"size": "x"}', b"{}", b'{"validator": "\xff"}', b"\xff"]
    )
    def test_a_part_of_which_nothing_is_known_is_thrown_away(
        self, content: bytes, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        part_of(target).with_suffix(".part.json").write_bytes(content)
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [None]

    def test_a_part_that_is_whole_needs_no_request(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        part_of(target).write_bytes(ARCHIVE)
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == []

    def test_tries_are_counted_anew_after_progress(
        self, kaggle: Kaggle, patience: Patience, target: Path
    ) -> None:
        content = random.Random(0).randbytes(6 * PROGRESS_BYTES)
        kaggle.add_to_mirror("a.bin", content)
        kaggle.storage.cut_after = PROGRESS_BYTES
        link = Link(f"{kaggle.mirror}/a.bin", "The mirror")
        download(lambda: link, target, patience=patience)
        assert target.read_bytes() == content
        assert len(kaggle.storage.ranges) == 6


KILLED = """
import sys
from pathlib import Path
from mlebench.data.kaggle import KaggleClient
print(KaggleClient().download_all(sys.argv[1], Path(sys.argv[2])))
"""


def test_a_killed_download_goes_on_in_another_process(
    fetch: Fetch, kaggle: Kaggle, target: Path
) -> None:
    command = [sys.executable, "-c", KILLED, ID, str(target.parent)]
    kaggle.storage.stall_after, kaggle.storage.stalls = CUT, 1
    with subprocess.Popen(command) as process:
        deadline = time.monotonic() + 60
        while not part_of(target).exists() or part_of(target).stat().st_size < CUT:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.kill()
    assert not target.exists()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert said.strip() == str(target)
    assert_whole(target)
    assert kaggle.storage.ranges == [None, f"bytes={CUT}-"]


class TestLinks:
    """Addresses are for one host and for a short time."""

    @pytest.mark.parametrize("status", [400, 403])
    def test_an_expired_link_is_replaced(
        self, status: int, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        kaggle.storage.failures = [Failure(status, EXPIRED)]
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-"] * 2

    def test_a_link_that_expires_in_the_middle(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.uses_per_link = 1
        kaggle.storage.cut_after, kaggle.storage.cuts = CUT, 2
        fetch()
        assert_whole(target)
        assert len(kaggle.storage.signatures) == 3

    def test_links_that_are_never_good(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        kaggle.storage.uses_per_link = 0
        with pytest.raises(DataSourceError, match=r"storage does not hand out archive\.zip \(400"):
            fetch()
        assert not list(target.parent.iterdir())

    def test_no_host_is_shown_the_login(self, fetch: Fetch, kaggle: Kaggle, target: Path) -> None:
        kaggle.storage.is_moved = True
        fetch()
        assert_whole(target)
        assert kaggle.storage.hosts == ["127.0.0.1", "localhost"]
        assert kaggle.storage.logins == [None, None]

    def test_links_are_not_shown(self) -> None:
        link = Link("https://storage/a%20b.zip?sig=secret", "The storage")
        assert "secret" not in repr(link)
        assert link.file_name == "a b.zip"

    def test_a_refusal_shows_no_signature(self, fetch: Fetch, kaggle: Kaggle) -> None:
        kaggle.storage.failures = [Failure(403, b"<Error><Code>AccessDenied</Code></Error>")]
        with pytest.raises(
            DataSourceError, match=r"^Kaggle's storage gives no access to archive\.zip \(403: Acc"
        ) as caught:
            fetch()
        assert "Signature" not in str(caught.value)


class TestTrouble:
    """A server that fails is asked again; what it said is told in the end."""

    def test_a_stalled_server_is_asked_again(
        self, fetch: Fetch, kaggle: Kaggle, target: Path, waits: list[float]
    ) -> None:
        kaggle.storage.stall_after, kaggle.storage.stalls = CUT, 1
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [None, f"bytes={CUT}-"]
        assert len(waits) == 1

    def test_a_server_that_always_stalls(self, kaggle: Kaggle, target: Path) -> None:
        kaggle.storage.stall_after = 0
        client = KaggleClient(patience=Patience(tries=2, read_seconds=0.2, wait=lambda _: None))
        with pytest.raises(
            UnavailableError,
            match=r"^Kaggle's storage sent nothing for 0\.2 seconds\. This was tried 2 times\.",
        ):
            client.download_all(ID, target.parent)

    def test_a_busy_server(
        self, fetch: Fetch, kaggle: Kaggle, target: Path, waits: list[float]
    ) -> None:
        kaggle.storage.failures = [Failure(503, b"", {"Retry-After": "9"}), Failure(429)]
        fetch()
        assert_whole(target)
        assert waits[0] == 9

    def test_a_server_that_is_always_cut_off(self, fetch: Fetch, kaggle: Kaggle) -> None:
        kaggle.storage.cut_after = 0
        with pytest.raises(
            UnavailableError,
            match=r"^The connection to Kaggle's storage broke off: .* 4 times\.",
        ):
            fetch()

    def test_a_length_that_is_never_reached(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.length_off_by = 10
        with pytest.raises(UnavailableError, match="broke off"):
            fetch()
        assert not target.exists()

    def test_a_stranger_error(self, fetch: Fetch, kaggle: Kaggle) -> None:
        kaggle.storage.failures = [Failure(418, b"<p>I am a teapot")]
        with pytest.raises(DataSourceError, match=r"archive\.zip \(418: I am a teapot\)\.$"):
            fetch()


class TestDamage:
    """What is not as it was is never taken."""

    @pytest.mark.parametrize("damage", ["corrupted", "truncated"])
    def test_once_is_made_good(
        self, damage: str, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.damage, kaggle.storage.damages = damage, 1  # type: ignore[assignment]
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [None, None]

    @pytest.mark.parametrize("damage", ["corrupted", "truncated"])
    def test_twice_is_an_error(
        self, damage: str, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.damage = damage  # type: ignore[assignment]
        with pytest.raises(
            DataSourceError, match=rf"^{ID}\.zip arrived damaged twice: it has the md5 sum .*Try"
        ):
            fetch()
        assert not list(target.parent.iterdir())

    def test_a_truncated_zip_is_found_out_without_a_sum(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.damage, kaggle.storage.has_md5 = "truncated", False
        with pytest.raises(DataSourceError, match="twice: it is not a whole zip"):
            fetch()
        assert not list(target.parent.iterdir())

    def test_a_part_that_was_spoilt_on_disk_is_made_good(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        part_of(target).write_bytes(b"x" * CUT)
        fetch()
        assert_whole(target)
        assert kaggle.storage.ranges == [f"bytes={CUT}-", None]

    def test_a_file_that_is_there_stays_until_a_whole_one_has_come(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        fetch()
        kaggle.storage.damage = "corrupted"
        with pytest.raises(DataSourceError):
            fetch()
        assert_whole(target)


class TestOthersFiles:
    """What somebody else has put where downloads arrive is neither changed nor used."""

    @pytest.mark.parametrize("kind", ["half a download", "link", "link to nowhere", "folder"])
    def test_is_left_alone(self, kind: str, fetch: Fetch, target: Path) -> None:
        precious = target.parent / "precious"
        target.parent.mkdir()
        if kind == "half a download":
            part_of(target).write_bytes(b"precious")
        elif kind == "folder":
            part_of(target).mkdir()
        else:
            part_of(target).symlink_to(precious)
        if kind == "link":
            precious.write_bytes(b"precious")
        before = file_digests(target.parent)
        with pytest.raises(DataSourceError, match=r"a-task\.zip\.part is no download that was beg"):
            fetch()
        assert file_digests(target.parent) == before
        assert precious.exists() == (kind == "link")

    def test_a_second_name_of_our_own_file_is_let_go_of(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        leave_part(kaggle, target)
        part_of(target).write_bytes(ARCHIVE)
        other = target.with_name("other.zip")
        other.hardlink_to(part_of(target))
        kaggle.storage.damage = "corrupted"
        with pytest.raises(DataSourceError):
            fetch()
        assert other.read_bytes() == ARCHIVE


class TestDisk:
    """Trouble with the disk is told as such."""

    def test_a_full_disk(self, fetch: Fetch, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write = os.pwrite
        with Path("/dev/full").open("wb") as full:
            monkeypatch.setattr(os, "pwrite", lambda _, *rest: write(full.fileno(), *rest))
            with pytest.raises(OSError, match="No space left on device") as caught:
                fetch()
        assert caught.value.errno == errno.ENOSPC
        assert caught.value.filename == str(part_of(target))

    @pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
    def test_a_folder_that_cannot_be_written(self, fetch: Fetch, target: Path) -> None:
        target.parent.mkdir(mode=0o500)
        with pytest.raises(PermissionError) as caught:
            fetch()
        assert str(target.parent) in str(caught.value.filename)


class TestCompany:
    """Nobody writes into what somebody else is fetching."""

    def test_whoever_waited_takes_what_the_other_one_fetched(
        self, fetch: Fetch, kaggle: Kaggle, target: Path
    ) -> None:
        kaggle.storage.stall_after, kaggle.storage.stalls = CUT, 1
        with ThreadPoolExecutor(3) as threads:
            running = [threads.submit(fetch) for _ in range(3)]
            assert {future.result(timeout=60) for future in running} == {target}
        assert_whole(target)

    def test_waiting_comes_to_an_end(
        self, fetch: Fetch, target: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MLEBENCH_LOCK_TIMEOUT", "0")
        target.parent.mkdir()
        with (
            exclusive(target.with_name(f".{target.name}.lock")),
            pytest.raises(BusyError, match=f"in use by process {os.getpid()}"),
        ):
            fetch()
