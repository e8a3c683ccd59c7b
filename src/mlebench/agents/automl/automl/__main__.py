"""``python -m automl``: from the data in the room to a submission."""

from __future__ import annotations

import argparse
import os
import signal
import sys

# One thread for each step: several of them are done side by side.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def main() -> None:
    """Work until the time is over or everything was tried."""
    parser = argparse.ArgumentParser(
        prog="python -m automl", description="From the data in the room to a submission."
    )
    parser.add_argument("--steps", type=_count, help="try at most so many models")
    options = parser.parse_args()

    import warnings

    from .course import Limits
    from .places import Places
    from .work import work

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # tidies up
    warnings.simplefilter("ignore")  # of libraries, about models that did not converge
    work(Places.from_environment(), Limits(options.steps))


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no number of models")
    return int(text)


if __name__ == "__main__":
    main()
