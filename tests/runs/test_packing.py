"""Folders on their way to nodes and back: all of it, and nothing that is elsewhere."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mlebench.agents.digests import files_digest
from mlebench.errors import SandboxError
from mlebench.runs.cluster import node, packing, relay
from mlebench.runs.cluster.packing import receive_folder, send_folder
from mlebench.runs.cluster.relay import Admitted, Home, Relay

ANSWERS = "id,answer\n1,secret\n"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """An agent's folder with all that can be in one, beside answers that it must not get."""
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "test.csv").write_text(ANSWERS)
    folder = tmp_path / "agent"
    (folder / "below" / "empty").mkdir(parents=True)
    (folder / "agent.py").write_text("pass\n")
    (folder / "start.sh").write_text("python3 agent.py\n")
    (folder / "start.sh").chmod(0o755)
    (folder / "below" / "long.bin").write_bytes(os.urandom(30_000))
    (folder / "same.py").hardlink_to(folder / "agent.py")
    (folder / "answers").symlink_to(tmp_path / "private" / "test.csv")
    (folder / "all").symlink_to("../private")
    (folder / "again.py").symlink_to("agent.py")
    (folder / "a").symlink_to(".")
    (folder / "b").symlink_to(".")
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "zuletzt.py").write_text("the last\n")
    return folder


def packed(folder: Path) -> bytes:
    stream = io.BytesIO()
    send_folder(folder, stream)
    return stream.getvalue()


def received(stream: bytes, folder: Path) -> Path:
    folder.mkdir()
    receive_folder(io.BytesIO(stream), folder, may_have_links=True)
    return folder


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Path], Home]]:
    """Gives a folder away as the agent's."""
    server = Relay("127.0.0.1")
    admitted = []

    def home(folder: Path) -> Home:
        entered = server.admitted(Admitted({}, {"agent": folder}, tmp_path, threading.Event()))
        admitted.append(entered)
        return Home("127.0.0.1", server.port, entered.__enter__())

    yield home
    for entered in admitted:
        entered.__exit__(None, None, None)
    server.close()


def test_links_arrive_as_links_and_nothing_through_them(agent: Path, tmp_path: Path) -> None:
    stream = packed(agent)
    assert b"secret" not in stream
    copy = received(stream, tmp_path / "copy")
    local = shutil.copytree(
        agent, tmp_path / "local", symlinks=True, ignore=shutil.ignore_patterns("pipe")
    )
    assert files_digest(copy) == files_digest(local)
    assert (copy / "answers").readlink() == tmp_path / "private" / "test.csv"
    assert (copy / "zuletzt.py").read_text() == "the last\n"
    assert os.access(copy / "start.sh", os.X_OK)


def test_stream_cut_off_anywhere_is_not_taken_for_whole(agent: Path, tmp_path: Path) -> None:
    stream = packed(agent)
    (agent / "pipe").unlink()
    for length in range(0, len(stream.rstrip(b"\0")), 256):
        with pytest.raises(SandboxError, match="did not arrive whole"):
            received(stream[:length], tmp_path / str(length))


def test_empty_folder_arrives(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert list(received(packed(tmp_path / "empty"), tmp_path / "copy").iterdir()) == []


def test_nodes_send_no_links(agent: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    with pytest.raises(SandboxError, match="strange kind"):
        receive_folder(io.BytesIO(packed(agent)), tmp_path / "home")


def test_link_beside_the_folder_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("../beside")
    entry.type, entry.linkname = tarfile.SYMTYPE, "x"
    (tmp_path / "copy").mkdir()
    with pytest.raises(SandboxError, match="elsewhere"):
        packing._make_link(entry, tmp_path / "copy")
    assert not (tmp_path / "beside").is_symlink()


def test_what_is_cut_off_is_not_kept(
    agent: Path,
    tmp_path: Path,
    serve: Callable[[Path], Home],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def break_off(folder: Path, stream: io.BufferedIOBase) -> None:
        stream.write(packed(folder)[:1024])  # between two entries

    home, cache = serve(agent), tmp_path / "cache"
    with monkeypatch.context() as broken:
        broken.setattr(relay, "send_folder", break_off)
        with pytest.raises(SandboxError, match="did not arrive whole"):
            node._fetched(home, "agent", "digest", cache)
    assert node._fetched(home, "agent", "digest", cache).joinpath("zuletzt.py").is_file()


def test_what_is_not_what_its_digest_says_is_not_kept(
    agent: Path, tmp_path: Path, serve: Callable[[Path], Home]
) -> None:
    (agent / "pipe").unlink()
    before = files_digest(agent)
    (agent / "agent.py").write_text("changed\n")
    home, cache = serve(agent), tmp_path / "cache"
    with pytest.raises(SandboxError, match="changed at home"):
        node._fetched(home, "agent", before, cache, files_digest)
    assert not (cache / "agent" / before).exists()
    now = files_digest(agent)
    assert files_digest(node._fetched(home, "agent", now, cache, files_digest)) == now
