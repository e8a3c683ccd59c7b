"""What many short runs cost: the dummy agent, again and again, in rooms of a kind.

Shown are seconds in all, a run's share of them, and the ratio to starting a bare Python, which
costs what the machine costs in this hour.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mlebench.data.prepare import prepare
from mlebench.registry import Registry

COMPETITION = "spaceship-titanic"
MOST_SECONDS = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kind", default="bwrap")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data")
        prepare(Registry(data, ()).get_competition(COMPETITION), fixture=True)
        command = [
            *(sys.executable, "-m", "mlebench", "--quiet", "run", "--agent", "dummy"),
            *("-c", COMPETITION, "--seeds", str(options.runs), "--sandbox", options.kind),
            *("--workers", str(options.workers), "--data-dir", str(data)),
            *("--runs-dir", str(Path(folder, "runs"))),
        ]
        seconds = elapsed(command)
        bare = min(elapsed([sys.executable, "-c", "pass"]) for _ in range(5))
    share = seconds / options.runs
    print(
        f"{options.runs} runs with {options.workers} workers: {seconds:.1f} s, {share:.3f} s each, "
        f"{share / bare:.1f}x a bare Python"
    )
    return seconds > MOST_SECONDS


def elapsed(command: list[str]) -> float:
    """How long a command takes."""
    started = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
    return time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main())
