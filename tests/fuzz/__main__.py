"""``python -m tests.fuzz``: how many broken submissions get the verdict they deserve?"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.fuzz.bench import open_bench
from tests.fuzz.judges import JUDGES
from tests.fuzz.run import Failure, Tally, prepared_data, run_all, run_case

SHOWN_FAILURES = 20


def main() -> int:
    """Run; 1 if any case showed a fault."""
    options = _options()
    competition_ids = options.competition or list(JUDGES)
    started = time.perf_counter()
    with prepared_data(competition_ids) as data_dir:
        if options.case is not None:
            return _show_case(
                competition_ids[0], options.seed, options.case, data_dir, options.keep
            )
        tallies = run_all(competition_ids, options.cases, options.seed, options.workers, data_dir)
        failures = [failure for tally in tallies.values() for failure in tally.failures]
        if options.keep:
            _keep(failures, data_dir, options.keep)
    _print_summary(tallies, time.perf_counter() - started)
    for failure in failures[:SHOWN_FAILURES]:
        print(f"\n{failure.command}\n  {' > '.join(failure.steps)}\n  {failure.message}")
    return 1 if failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="in total")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--competition", action="append", choices=list(JUDGES), metavar="ID")
    parser.add_argument("--keep", type=Path, help="folder for the files of failures")
    parser.add_argument("--case", type=int, help="run only this case of the competition")
    options = parser.parse_args()
    if options.case is not None and len(options.competition or []) != 1:
        parser.error("--case needs one --competition")
    return options


def _show_case(
    competition_id: str, seed: int, number: int, data_dir: Path, keep: Path | None
) -> int:
    bench = open_bench(competition_id, data_dir)
    path = (keep or data_dir) / f"{competition_id}-{seed}-{number}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    outcome = run_case(bench, seed, number, path)
    print(path.read_bytes()[:2000])
    print(outcome.message if isinstance(outcome, Failure) else outcome)
    return 1 if isinstance(outcome, Failure) else 0


def _keep(failures: list[Failure], data_dir: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for failure in failures:
        bench = open_bench(failure.competition_id, data_dir)
        stem = f"{failure.competition_id}-{failure.seed}-{failure.number}"
        case = bench.make(failure.seed, failure.number)
        (folder / f"{stem}.csv").write_bytes(case.content)
        note = f"{failure.command}\n{' > '.join(case.steps)}\n{failure.message}\n"
        (folder / f"{stem}.txt").write_text(note, encoding="utf-8", errors="replace")


def _print_summary(tallies: dict[str, Tally], seconds: float) -> None:
    titles = ("cases", "invalid", "scored", "don't care", "failures", "cases/s")
    print(f"{'competition':46}" + "".join(f"{title:>12}" for title in titles))
    total = Tally()
    for competition_id, tally in tallies.items():
        total.add(tally)
        _print_row(competition_id, tally, tally.seconds)
    _print_row(f"all in {seconds:.0f} s", total, seconds)


def _print_row(name: str, tally: Tally, seconds: float) -> None:
    kinds = tally.kinds
    counts = (tally.cases, kinds["invalid"], kinds["scored"], kinds["don't care"])
    figures = (*counts, len(tally.failures), round(tally.cases / max(seconds, 1e-9)))
    print(f"{name:46}" + "".join(f"{figure:12,}" for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
