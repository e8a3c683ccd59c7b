"""What a room costs: from asking for it to the agent's first instruction, and to its end.

The agent is a Python that tells the time and ends. The machine is noisy, so the runs alternate
and the fastest of each counts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from mlebench.sandbox.choosing import make_sandbox
from mlebench.sandbox.room import PythonHome, RoomPlan, Sandbox

MOST_SECONDS = 0.3
SCRIPT = "import time; print('first', time.clock_gettime(time.CLOCK_MONOTONIC))"
HOME = PythonHome(Path(sys.executable).parent, (Path(sys.prefix), Path(sys.base_prefix)))


def bare_python() -> float:
    """Seconds to start a Python that does the same, and to wait for its end."""
    started = time.monotonic()
    command = [sys.executable, "-c", SCRIPT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - started


def room(sandbox: Sandbox, folder: Path) -> tuple[float, float]:
    """Seconds to the agent's first instruction, and all in all."""
    for name in ("room", "data", "agent"):
        (folder / name).mkdir()
    plan = RoomPlan(
        name="benchmark",
        folder=folder / "room",
        data=folder / "data",
        agent=folder / "agent",
        command=("python", "-c", SCRIPT),
        log=folder / "log.txt",
        python=HOME,
    )
    started = time.monotonic()
    end = sandbox.run(plan, threading.Event())
    ended = time.monotonic()
    if end.cause != "finished":
        raise SystemExit(f"{end.message}\n{plan.log.read_text()}")
    first = float(plan.log.read_text().rpartition("first ")[2])
    return first - started, ended - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--kind", default="bwrap")
    options = parser.parse_args()
    sandbox = make_sandbox(options.kind)
    bare, first, whole = [], [], []
    for _ in range(options.rounds):
        bare.append(bare_python())
        with tempfile.TemporaryDirectory() as folder:
            to_first, to_end = room(sandbox, Path(folder))
        first.append(to_first)
        whole.append(to_end)
    for what, seconds in {"first instruction": min(first), "end": min(whole)}.items():
        print(f"{what:18} {seconds:6.3f} s   {seconds / min(bare):5.1f} x bare python")
    return int(min(whole) > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
