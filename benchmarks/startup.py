"""What it costs to start: import and command line, as ratios to an empty Python.

The machine is noisy, so the runs of all commands alternate and the fastest of each counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

MLEBENCH = str(Path(sysconfig.get_path("scripts")) / "mlebench")
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import mlebench": [sys.executable, "-c", "import mlebench"],
    "mlebench --help": [MLEBENCH, "--help"],
    "mlebench competitions": [MLEBENCH, "competitions"],
}
# An installed package has its byte code beside it.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
LIMITS = {"import mlebench": 3.0, "mlebench --help": 12.0, "mlebench competitions": 12.0}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
            best[name] = min(best[name], time.perf_counter() - started)
    base = best["python -c pass"]
    failed = False
    for name, limit in LIMITS.items():
        ratio = best[name] / base
        failed |= ratio > limit
        print(f"{name:24} {ratio:5.1f} x python -c pass   (limit {limit:g})")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
