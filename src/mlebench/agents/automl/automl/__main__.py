"""``python -m automl``: from the data in the room to a submission."""

from __future__ import annotations

import argparse
import os

# One thread for each step: several of them are done side by side.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def main() -> None:
    """Work until the time is over or everything was tried."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, help="try at most so many models")
    options = parser.parse_args()

    import warnings

    from .places import Places
    from .work import Limits, work

    warnings.simplefilter("ignore")  # of libraries, about models that did not converge
    work(Places.from_environment(), Limits(options.steps))


if __name__ == "__main__":
    main()
