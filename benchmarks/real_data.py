"""How `automl` does on real competitions: score, medal, and whether its own estimate is honest.

It needs raw data from Kaggle, a folder named by its id for each competition; those that cannot be
prepared are told and left out. Printed are scores on answers that the agent never saw, medals of
the real leaderboards, and how many standard errors lie between a score and what the journal
expected. Several time limits, such as ``--seconds 60 300 1800``, show what more time is worth:
estimates must not get worse.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.grading.report import CompetitionReport
from mlebench.registry import Competition, Registry
from mlebench.runs.campaign import Campaign, Wish
from mlebench.runs.quickstart import best_room, prepare_split

RAW = Path("../shared/realdata")
MOST_ERRORS = 2.0
LEAST_BEATEN = 80.0
AS_GOOD = 0.1
"""Standard errors by which a later estimate may be worse: so much is decided by the clock."""


@dataclass(frozen=True)
class Attempt:
    """What one run came to.

    Attributes:
        competition: Where.
        seed: Which attempt of several.
        seconds: Its time limit.
        report: The grade of what it left.
        estimate: The score that its journal expected.
        error: The standard error that this gave.
    """

    competition: Competition
    seed: int
    seconds: float
    report: CompetitionReport
    estimate: float | None
    error: float | None

    @property
    def errors_apart(self) -> float | None:
        """How many standard errors lie between what was expected and what came."""
        if self.report.score is None or self.estimate is None or not self.error:
            return None
        return abs(self.report.score - self.estimate) / self.error

    def is_worse_than(self, before: Attempt) -> bool:
        """Whether less was expected of it than of an earlier one, by more than chance.

        An estimate is more than none.
        """
        if self.estimate is None or before.estimate is None:
            return before.estimate is not None
        sign = 1 if self.competition.is_lower_better else -1
        return sign * (self.estimate - before.estimate) > AS_GOOD * (before.error or 0.0)

    def line(self) -> str:
        """All of it, for people."""
        report, apart = self.report, self.errors_apart
        told = [
            f"{self.competition.id}, {self.seconds:g} s: "
            f"{'no score' if report.score is None else f'{report.score:.5f}'}",
            f"medal {report.medal or '-'} (bronze at {report.bronze_threshold}, "
            f"median {report.median_threshold})",
        ]
        if report.percentile is not None:
            told.append(f"beats {report.percentile:.0f} %")
        if self.estimate is not None and self.error is not None:
            told.append(f"expected {self.estimate:.5f} +- {self.error:.5f}")
        if apart is not None:
            told.append(f"{apart:.1f} standard errors apart")
        return ", ".join(told)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--raw", type=Path, default=RAW, help="a folder for each competition")
    parser.add_argument("--only", nargs="*", default=[], help="these competitions")
    parser.add_argument("--mini", action="store_true", help="the split mini, which needs no data")
    parser.add_argument("--seconds", nargs="+", type=float, default=[600.0], help="time limits")
    parser.add_argument("--cpus", type=float, default=2.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="where runs and their journals stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        registry = Registry(Path(scratch) / "data")
        ids = mini(registry, options.only) if options.mini else real(registry, options)
        runs_dir = (options.keep or Path(scratch) / "runs").resolve()
        attempts: list[Attempt] = []
        for competition_id in ids:
            for seconds in options.seconds:
                for attempt in run(registry, competition_id, seconds, options, runs_dir):
                    print(attempt.line(), flush=True)
                    attempts.append(attempt)
    return report(attempts, is_mini=options.mini)


def mini(registry: Registry, only: Sequence[str]) -> list[str]:
    return [name for name in prepare_split(registry) if not only or name in only]


def real(registry: Registry, options: argparse.Namespace) -> list[str]:
    if not options.raw.is_dir():
        raise SystemExit(f"there is no folder {options.raw}: --raw tells where raw data are")
    found = []
    for folder in sorted(options.raw.iterdir()):
        if not folder.is_dir() or (options.only and folder.name not in options.only):
            continue
        packed = folder / f"{folder.name}.zip"
        try:
            competition = registry.get_competition(folder.name)
            prepare(competition, packed if packed.exists() else folder)
        except MlebenchError as error:
            print(f"{folder.name} is left out: {error}")
            continue
        found.append(folder.name)
    return found


def run(
    registry: Registry, competition_id: str, seconds: float, options: argparse.Namespace,
    runs_dir: Path,
) -> Iterator[Attempt]:  # fmt: skip
    wish = Wish(
        agent_id="automl", competitions=(competition_id,), seeds=options.seeds, runs_dir=runs_dir,
        sandbox=best_room().kind, limits={"seconds": seconds, "cpus": options.cpus},
    )  # fmt: skip
    campaign = Campaign(wish, registry)
    group = campaign.open_group()
    campaign.run(group, lambda state: None)
    for state in group.state.runs():
        if state.report is None:
            raise SystemExit(f"the run {state.run_id} was lost: {state.message}")
        end = last_note(group.run_folder(state.run_id))
        yield Attempt(
            registry.get_competition(competition_id), state.seed, seconds,
            CompetitionReport.from_dict(state.report), end.get("score"), end.get("error"),
        )  # fmt: skip


def last_note(folder: Path) -> dict[str, Any]:
    """What a journal says in the end."""
    journals = [*folder.glob("**/journal.jsonl")]
    notes = journals[0].read_text(encoding="utf-8").splitlines() if journals else ["{}"]
    told: dict[str, Any] = json.loads(notes[-1])
    return told


def report(attempts: Sequence[Attempt], *, is_mini: bool) -> int:
    """Tell what does not hold; 1 if there is anything, as a code to exit with."""
    faults: list[str] = []
    longest: dict[tuple[str, int], Attempt] = {}
    for one in attempts:
        name = f"{one.competition.id}, seed {one.seed}, {one.seconds:g} s"
        before = longest.get((one.competition.id, one.seed))
        if one.report.score is None:
            faults.append(f"{name}: it left nothing that has a score")
        elif one.errors_apart is None:
            faults.append(f"{name}: it estimated nothing")
        elif one.errors_apart > MOST_ERRORS:
            faults.append(f"{name}: the estimate was off by {one.errors_apart:.1f} errors")
        if before is not None and one.seconds > before.seconds and one.is_worse_than(before):
            faults.append(f"{name}: it expects less than in {before.seconds:g} s")
        if is_mini and (one.report.percentile or 0.0) < LEAST_BEATEN:
            faults.append(f"{name}: it beats fewer than {LEAST_BEATEN:g} %")
        longest[one.competition.id, one.seed] = one
    for fault in faults:
        print(fault)
    print(f"{len(attempts)} attempts, {len(faults)} faults")
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main())
