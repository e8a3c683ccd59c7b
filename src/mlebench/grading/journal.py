"""Finished reports of a run that is not complete yet."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from mlebench.data.checksums import file_digest
from mlebench.grading.lines import SubmissionLine
from mlebench.grading.report import GRADED_STATUSES, CompetitionReport
from mlebench.grading.worker import registry_to_json
from mlebench.registry import Registry

FINAL_STATUSES = GRADED_STATUSES | {"invalid_submission", "no_submission"}


@dataclass
class Journal:
    """Reports finished so far, so that an interrupted run need not repeat them."""

    path: Path
    file: IO[str]
    done: dict[tuple[int, str | None], CompetitionReport] = field(default_factory=dict)

    @classmethod
    def open(cls, output_dir: Path, submissions: Path, registry: Registry) -> Journal:
        """The journal of this submissions file under these conditions."""
        conditions = json.dumps(registry_to_json(registry), sort_keys=True).encode()
        name = hashlib.sha256(submissions.read_bytes() + conditions).hexdigest()[:16]
        path = output_dir / f".grading-{name}.jsonl"
        written = path.read_text(encoding="utf-8") if path.is_file() else ""
        # Whoever was killed while writing left half a line behind.
        complete = written[: written.rfind("\n") + 1]
        path.write_text(complete, encoding="utf-8")
        journal = cls(path, path.open("a", encoding="utf-8"))
        for line in complete.splitlines():
            entry = json.loads(line)
            key = entry["line"], entry["sha256"]
            journal.done[key] = CompetitionReport.from_dict(entry["report"])
        return journal

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def find(self, line: SubmissionLine) -> CompetitionReport | None:
        """The report on a line, if its file has not changed since."""
        return self.done.get((line.number, _digest(line)))

    def add(self, line: SubmissionLine, report: CompetitionReport) -> None:
        """Record a report, unless another try might end better."""
        if report.status not in FINAL_STATUSES:
            return
        entry = {"line": line.number, "sha256": _digest(line), "report": report.to_dict()}
        self.file.write(json.dumps(entry) + "\n")
        self.file.flush()

    def remove(self) -> None:
        """All is done and written; the journal is of no more use."""
        self.path.unlink()


def _digest(line: SubmissionLine) -> str | None:
    path = Path(line.submission_path) if line.submission_path else None
    return file_digest(path, "sha256") if path and path.is_file() else None
