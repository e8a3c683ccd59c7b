"""Folders of services: nobody else's, and gone after a kill once another service starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mlebench.services.places import private_folder

KEEPS = """
import time
from mlebench.services.places import private_folder
with private_folder() as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


def test_what_a_killed_service_left_goes_with_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", KEEPS], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().strip())
        with private_folder() as own:
            assert own.parent == theirs.parent
            assert theirs.is_dir()  # it is in use
        other.send_signal(signal.SIGKILL)
        other.wait(30)
    assert theirs.is_dir()
    with private_folder() as own:
        assert not theirs.exists()
        assert own.stat().st_mode & 0o777 == 0o700
        assert own.stat().st_uid == os.getuid()
    assert not own.exists()
