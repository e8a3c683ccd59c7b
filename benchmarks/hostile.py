"""What files cost that nobody would submit in earnest.

Each is read and checked in a process of its own; shown are the processor time that took
and the most memory the process held, libraries included (an honest file of two rows is
there for comparison). Time should grow with the size of a file, never with its square.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MANY = 100_000
MEGABYTE = 1_000_000


def row(cell: str, count: int) -> str:
    return ",".join([cell] * count) + "\n"


def names(pattern: str, count: int = MANY) -> str:
    return ",".join(pattern.format(number) for number in range(count)) + "\n"


def rows(text: str, count: int = 10 * MANY) -> str:
    return "id,x\n" + "".join(text.format(number) for number in range(count))


BOXES = "100,000 boxes on one sample"
FILES: dict[str, Callable[[], str]] = {
    BOXES: str,  # made where it is measured
    "honest": lambda: "id,x\n1,0.5\n2,0.25\n",
    "one name, 100,000 times": lambda: row("x", MANY) + row("1", MANY),
    "one name, 100,000 times, quoted": lambda: row('"x"', MANY) + row('"1"', MANY),
    "no names, 100,000 times": lambda: row("", MANY) + row("1", MANY),
    "names that look repeated": lambda: "x," * MANY + names("x.{}") + row("1", 2 * MANY),
    "100,000 columns": lambda: "id,x," + names("column{}") + row("0.5", MANY + 2) * 3,
    "100,000 columns of text": lambda: "id,x," + names("column{}") + row("word", MANY + 2) * 3,
    "100,000 columns, ragged": lambda: "id,x," + names("column{}") + row("0.5", 1000) * 50,
    "100,000 columns, a million short rows": lambda: "id,x," + names("column{}") + "1,2\n" * 10**6,
    "a name of 10 MB": lambda: f"id,x,{'n' * 10 * MEGABYTE}\n1,0.5,1\n2,0.25,1\n",
    "a name of 10 MB, twice": lambda: f"id,{'n' * 10 * MEGABYTE},{'n' * 10 * MEGABYTE}\n1,2,3\n",
    "a cell of 50 MB": lambda: f"id,x\n1,{'w' * 50 * MEGABYTE}\n2,0.25\n",
    "a quoted cell of 50 MB": lambda: 'id,x\n1,"' + '""\n,' * (12 * MEGABYTE) + '"\n2,0.25\n',
    "quotes that never close": lambda: 'id,x\n1,"' + "1,0.5\n" * (8 * MEGABYTE),
    "a number of ten million digits": lambda: f"id,x\n1,{'9' * 10 * MEGABYTE}\n2,0.25\n",
    "ten million digits and a letter": lambda: f"id,x\n1,{'9' * 10 * MEGABYTE}x\n2,0.25\n",
    "a fraction of ten million digits": lambda: f"id,x\n1,0.{'1' * 10 * MEGABYTE}\n2,0.25\n",
    "ten million blank lines": lambda: "id,x\n1,0.5\n" + "\n" * (10 * MEGABYTE) + "2,0.25\n",
    "ten million lines of a blank": lambda: "id,x\n1,0.5\n" + " \n" * (10 * MEGABYTE) + "2,0.25\n",
    "a million rows, lone returns": lambda: rows("{},0.5\r"),
    "a million rows, the last one short": lambda: rows("{},0.5\n") + "1\n",
    "a million rows, one infinite": lambda: rows("{},0.5\n") + "1,inf\n",
    "a million rows, one beyond 64 bits": lambda: rows("{},5\n") + f"1,{2**64}\n",
    "a million truth values, one gap": lambda: rows("{},True\n") + "1,\n",
}


def measure(path: Path) -> None:
    """Read and check one file; print what it cost as JSON."""
    import pandas as pd

    from mlebench.errors import InvalidSubmissionError
    from mlebench.submission import Number, Submission, read_table

    declared = Submission(key="id", columns=(Number("x"),))
    answers = pd.DataFrame({"id": [1, 2], "x": [0.5, 0.5]})
    started, verdict = time.process_time(), "valid"
    try:
        declared.check(read_table(path, numbers=["x"]), answers)
    except InvalidSubmissionError as error:
        verdict = error.code
    report(verdict, started)


def boxes(path: Path) -> None:
    """Grade a file with a hundred thousand boxes on one sample; print what it cost as JSON."""
    import numpy as np
    import pandas as pd

    from mlebench.registry import registry

    task = registry.get_competition("3d-object-detection-for-autonomous-vehicles").task
    if task is None:
        raise SystemExit("3d-object-detection-for-autonomous-vehicles has no task")
    rng = np.random.default_rng(0)

    def text(count: int) -> str:
        low, high = [0, 0, 0, -1, 1.5, 3.5, 1.4, -3], [1, 200, 200, 1, 2.2, 5, 1.8, 3]
        numbers = rng.uniform(low, high, (count, 8)).tolist()
        return " ".join(f"{' '.join(map(str, box))} car" for box in numbers)

    answers = pd.DataFrame({"Id": ["a", "b"], "PredictionString": [text(200), text(1)]})
    found = pd.DataFrame({"Id": ["a", "b"], "PredictionString": [text(MANY), ""]})
    found.to_csv(path, index=False)
    del found
    started = time.process_time()
    submitted = task.read_submitted(path)
    task.validate(submitted, answers)
    task.grade(submitted, answers)
    report("graded", started)


def report(verdict: str, started: float) -> None:
    seconds = time.process_time() - started
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEGABYTE
    print(json.dumps({"verdict": verdict, "seconds": seconds, "megabytes": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="One JSON object for each file.")
    parser.add_argument("--only", default="", help="Only files with this text in their names.")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--boxes", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        (boxes if options.boxes else measure)(options.measure)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "submission.csv")
        for name, make in FILES.items():
            if options.only not in name:
                continue
            path.write_text(make(), encoding="utf-8", newline="")
            command = [sys.executable, __file__, "--measure", os.fspath(path)]
            if name == BOXES:
                command.append("--boxes")
            output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            cost = {"file": name, "bytes": path.stat().st_size, **json.loads(output)}
            if options.json:
                print(json.dumps(cost), flush=True)
                continue
            print(
                f"{name:40} {cost['bytes'] / MEGABYTE:6.1f} MB {cost['seconds']:7.2f} s "
                f"{cost['megabytes']:6.0f} MB  {cost['verdict']}",
                flush=True,
            )


if __name__ == "__main__":
    main()
