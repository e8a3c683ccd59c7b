"""``python -m tests.runs.endurance``: runs killed again and again end as if undisturbed.

Many runs of the dummy agent are begun by one command, which is killed by SIGKILL at random
moments and started again until it is done. Then every run has one result, the record holds
together, and no process, mount or temporary folder is left.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from mlebench.runs.group import groups_in
from mlebench.runs.ledger import read_entries
from mlebench.runs.verifying import verify
from tests.leftovers import watched

COMPETITION = "spaceship-titanic"
MOST_SECONDS = 1800.0


def endure(work: Path, runs: int, kills: int, seed: int, sandbox: str) -> dict[str, float]:
    """Do it; tells how often the command was struck and how long all took."""
    rng = random.Random(seed)
    data, temporary = work / "data", work / "temporary"
    temporary.mkdir()
    prepare(Registry(data, ()).get_competition(COMPETITION), fixture=True)
    command = [
        *(sys.executable, "-P", "-m", "mlebench", "--quiet", "run", "--agent", "dummy"),
        *("-c", COMPETITION, "--seeds", str(runs), "--workers", "2", "--sandbox", sandbox),
        *("--data-dir", str(data), "--runs-dir", str(work / "runs")),
    ]
    environment = os.environ | {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(work / "cache")}
    started, struck, is_done = time.monotonic(), 0, False
    with watched() as watch:
        environment |= {name: value for name, value in os.environ.items() if "TEST" in name}
        for _ in range(kills):
            pause = rng.uniform(0.5, 6)
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
            try:
                is_done = process.wait(pause) == 0
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait(60)
                struck += 1
        if not is_done:  # or the same command would begin a new group
            silent = {"stdout": subprocess.DEVNULL, "timeout": MOST_SECONDS}
            subprocess.run(command, env=environment, check=True, **silent)
        if left := watch.left_after(seconds=30):
            raise AssertionError(f"still there: {left}")
    _check(work, runs)
    if str(work) in Path("/proc/self/mounts").read_text():
        raise AssertionError("mounts were left")
    # Python tries whether it may write there with a file of four bytes, which a kill may leave.
    if left_behind := [path.name for path in temporary.iterdir() if not _is_pythons_trial(path)]:
        raise AssertionError(f"temporary files were left: {left_behind}")
    return {"runs": runs, "kills": struck, "seconds": round(time.monotonic() - started, 1)}


def _is_pythons_trial(path: Path) -> bool:
    return path.is_file() and path.read_bytes() in {b"", b"blat"}


def _check(work: Path, runs: int) -> None:
    (group,) = groups_in(work / "runs")
    proof = verify(group)
    if proof.faults or proof.graded != runs:
        raise AssertionError(f"the record does not hold: {proof}")
    states = group.state.runs()
    if len(states) != runs or any(run.status != "graded" for run in states):
        raise AssertionError("not every run has a result")
    entries = read_entries(group.folder / "ledger.jsonl")
    graded = [entry.run for entry, _ in entries if entry.kind == "graded"]
    if len(graded) != len(set(graded)):
        raise AssertionError("a run was graded twice")
    report = json.loads(group.report_path.read_text())
    if report["total_valid_submissions"] != runs:
        raise AssertionError("not every run has a valid submission")
    folders = [path for path in group.folder.iterdir() if path.is_dir()]
    if {path.name for path in folders} != {run.run_id for run in states}:
        raise AssertionError("folders of other runs were left")


def main() -> None:
    """Endure as much as is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sandbox", default="bwrap")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print(endure(Path(folder), options.runs, options.kills, options.seed, options.sandbox))


if __name__ == "__main__":
    main()
