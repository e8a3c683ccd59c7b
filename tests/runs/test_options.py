"""Options of `mlebench run`: what no machine could do is refused before anything starts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mlebench.errors import ConfigError, SandboxError
from mlebench.runs import executors
from tests.command import run
from tests.runs.conftest import COMPETITION, Runs


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ("--cpus nan", "--cpus cannot be nan. It must be a number above 0."),
        ("--cpus inf", "--cpus cannot be inf."),
        ("--cpus 0", "--cpus cannot be 0."),
        ("--cpus=-1", "--cpus cannot be -1."),
        ("--cpus 4096.5", "A run wants 4096.5 processors, and there are"),
        ("--gpus=-2", "--gpus cannot be -2. It must be 0 or more, or -1 for all."),
        ("--gpu-ids=-1", "each has a number from 0 on"),
        ("--gpu-ids 0,0", "is named once"),
        ("--gpu-ids 7 --gpus 2", "A run wants 2 GPUs, and there are 1 to give."),
        ("--budget nan", "--budget cannot be nan. It must be 0 or more dollars."),
        ("--budget inf", "--budget cannot be inf."),
        ("--budget=-1", "--budget cannot be -1."),
        ("--memory-limit 0", "--memory-limit cannot be 0. It must be from 1 to"),
        ("--memory-limit=-1GB", "--memory-limit cannot be -1e+09."),
        ("--memory-limit 1e30GB", "--memory-limit cannot be 1e+39."),
        ("--disk-limit 0", "--disk-limit cannot be 0."),
        ("--time-limit 0", "--time-limit cannot be 0. It must be a time above 0"),
        ("--time-limit nan", "is no time"),
        ("--seeds 100001", "There can be at most 100,000 seeds, not 100,001."),
        ("--workers 0", "There must be at least one worker, not 0."),
        ("--container-config nan.json", "NaN is no number"),
    ],
)
def test_what_cannot_be_is_refused(
    runs: Runs,
    options: str,
    allowed: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nan.json").write_text('{"cpu_shares": NaN}')
    result = run(f"{command(runs)} {options}", monkeypatch, capfd)
    assert result.code == 2
    assert allowed in " ".join(result.stderr.replace("\u2502", "").split())
    assert not Path("runs").exists()


def test_runs_that_were_all_lost_exit_with_six(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def lose(*_: object) -> None:
        raise SandboxError("The machine is gone.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(executors, "attempt", lose)
    result = run(f"{command(runs)} --json", monkeypatch, capfd)
    assert json.loads(result.stdout)["statuses"] == {"failed": 1}
    assert result.code == SandboxError.exit_code == 6


def command(runs: Runs) -> str:
    data = runs.registry.get_competition(COMPETITION).data_dir.parent
    return f"mlebench run --agent dummy -c {COMPETITION} --sandbox process --data-dir {data}"


def test_libraries_that_are_missing_are_told_before_there_is_a_group(
    runs: Runs,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "python_multipart", None)
    result = run(command(runs), monkeypatch, capfd)
    assert result.code == ConfigError.exit_code
    assert "pip install 'mlebench[services]'" in " ".join(result.stderr.split())
    assert not Path("runs").exists()
