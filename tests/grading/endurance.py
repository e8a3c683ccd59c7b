"""``python -m tests.grading.endurance``: a batch killed again and again ends as if undisturbed.

A tenth of the lines are hostile. The batch runs once in peace; then the same command is killed
at random moments, by SIGKILL and SIGINT in turn, and started again until it is done. Both
reports must be equal but for the times in them, and nothing may be left behind.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mlebench.data.prepare import prepare
from mlebench.registry import Registry
from tests.grading.hostile import GRADERS
from tests.grading.original import add_original
from tests.helpers import add_competition
from tests.leftovers import watched

BUILT_IN = "spaceship-titanic"
HOSTILE = ("exits-at-once", "segfaults", "raises", "kills-its-parent", "leaves-a-daemon", "exits")
SLOW = ("sleeps", "pool")
MOST_SECONDS = 1200.0
# A shell calls both 130. Python ends by the signal itself if that came while a library was being
# made of strings, as dataclasses are, whoever took care of it afterwards.
INTERRUPTED = (130, -signal.SIGINT)


def build(work: Path, lines: int, rng: random.Random) -> list[str]:
    """Competitions, data and a submissions file; returns the command that grades it."""
    competitions, data = work / "competitions", work / "data"
    for name in ("plain", *HOSTILE, *SLOW):
        code = {"code": GRADERS[name].code} if name in GRADERS else {}
        add_original(competitions, data, name, **code)
    add_competition(competitions, "own-plain")
    registry = Registry(data, [competitions])
    for name in (BUILT_IN, "own-plain"):
        prepare(registry.get_competition(name), fixture=True)

    def line(name: str) -> str:
        path = registry.get_competition(name).sample_submission
        return json.dumps({"competition_id": name, "submission_path": str(path)})

    hostile = [*map(line, HOSTILE), "no json", line("plain").replace("sample_", "missing_")]
    slow = max(1, lines // 500)
    chosen = [line(SLOW[number % len(SLOW)]) for number in range(slow)]
    chosen += [hostile[number % len(hostile)] for number in range(lines // 10 - slow)]
    good = [line(BUILT_IN)] * 7 + [line("plain")] * 2 + [line("own-plain")]
    chosen += [good[number % len(good)] for number in range(lines - len(chosen))]
    rng.shuffle(chosen)
    (work / "submissions.jsonl").write_text("".join(text + "\n" for text in chosen))
    return [
        *(sys.executable, "-P", "-m", "mlebench", "--quiet", "grade"),
        *("--submission", str(work / "submissions.jsonl")),
        *("--data-dir", str(data), "--competitions-dir", str(competitions)),
        *("--workers", "2", "--time-limit", "5"),
    ]


def run(command: list[str], output: Path, seconds: float | None, blow: signal.Signals) -> int:
    """Run the command, and strike it after some seconds; its exit code."""
    process = subprocess.Popen(
        [*command, "--output-dir", str(output)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=output.parent,
    )
    try:
        _, errors = process.communicate(timeout=MOST_SECONDS if seconds is None else seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(blow)
        _, errors = process.communicate(timeout=60)
        if blow is signal.SIGINT and process.returncode not in (0, *INTERRUPTED):
            raise AssertionError(
                f"interrupted, it left with {process.returncode}: {errors}"
            ) from None
        if process.returncode in INTERRUPTED and (
            "KeyboardInterrupt" in errors or "interrupted; run the same command" not in errors
        ):
            raise AssertionError(f"interrupted, it said: {errors}") from None
    return process.returncode


def verdicts(output: Path) -> dict[str, Any]:
    """All that a report says, without what differs from run to run."""
    (path,) = output.iterdir()
    report: dict[str, Any] = json.loads(path.read_text())
    for one in report["competition_reports"]:
        del one["created_at"], one["seconds"]
    return report


def endure(work: Path, lines: int, kills: int, seed: int) -> dict[str, float]:
    """Compare a disturbed batch with one in peace; tells how often it was struck, and so on."""
    rng = random.Random(seed)
    command = build(work, lines, rng)
    with watched() as watch:
        started = time.monotonic()
        if run(command, work / "in-peace", None, signal.SIGKILL):
            raise AssertionError("the batch in peace failed")
        peace = time.monotonic() - started
        struck = disturb(command, work / "disturbed", kills, peace, rng)
        if left := watch.left_after(seconds=30):
            raise AssertionError(f"still there: {left}")
    if verdicts(work / "in-peace") != verdicts(work / "disturbed"):
        raise AssertionError("the reports differ")
    return {"lines": lines, "kills": struck, "seconds in peace": round(peace, 1)}


def disturb(command: list[str], output: Path, kills: int, peace: float, rng: random.Random) -> int:
    """Run a batch to its end, striking it on the way; how often that could be done."""
    for number in range(kills):
        blow = (signal.SIGKILL, signal.SIGINT)[number % 2]
        moment = rng.uniform(0.2, max(2.0, 1.5 * peace / kills))
        if run(command, output, moment, blow) == 0:
            return number
    if run(command, output, None, signal.SIGKILL):
        raise AssertionError("the batch did not end well")
    return kills


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.grading.endurance", description=__doc__)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = endure(Path(folder), options.lines, options.kills, options.seed)
    print(outcome)
    if outcome["kills"] < options.kills:
        raise SystemExit("it was done before all kills; choose more lines")


if __name__ == "__main__":
    main()
