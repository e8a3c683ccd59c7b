"""The imitation of Kaggle as a program, for pages and benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.data.kaggle import KaggleClient
from tests.conftest import CHECKOUT
from tests.kaggle_server import TOKEN, zip_of


def test_a_folder_of_zips_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx")
    monkeypatch.setenv("KAGGLE_API_TOKEN", TOKEN)
    content = zip_of({"train.csv": b"id\n1\n"})
    (tmp_path / "zips").mkdir()
    (tmp_path / "zips" / "a-task.zip").write_bytes(content)
    command = [sys.executable, "-m", "tests.kaggle_server", "--archives", str(tmp_path / "zips")]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            client = KaggleClient(server.stdout.readline().strip())
            assert [found["title"] for found in client.list_competitions()] == ["A-Task"]
            assert client.download_all("a-task", tmp_path).read_bytes() == content
        finally:
            server.terminate()
