"""A competition in the original's format whose grader is whatever a test wants."""

from __future__ import annotations

from pathlib import Path

CONFIG = """\
id: {name}
name: A grader of its own temper
competition_type: simple
awards_medals: false
prizes: null
description: mlebench/competitions/{name}/description.md
dataset:
  answers: {name}/prepared/private/answers.csv
  sample_submission: {name}/prepared/public/sample_submission.csv
grader:
  name: accuracy
  grade_fn: mlebench.competitions.{name}.grade:grade
preparer: mlebench.competitions.{name}.prepare:prepare
"""
LEADERBOARD = "teamName,score\n" + "".join(f"team {k},{1 - k / 20}\n" for k in range(20))

ANSWERS = "id,label\n1,0\n2,1\n3,1\n4,0\n"
SUBMISSION = "id,label\n1,0\n2,1\n3,0\n4,0\n"

GRADE = """\
def grade(submission, answers):
    return float((submission["label"] == answers["label"]).mean())
"""
SCORE = 0.75


def add_original(
    competitions: Path,
    data: Path,
    name: str,
    code: str = GRADE,
    *,
    answers: bytes = ANSWERS.encode(),
    submission: bytes = SUBMISSION.encode(),
    **files: bytes,
) -> None:
    """Write the folder and its prepared data; further files replace those of the same stem."""
    folder, prepared = competitions / name, data / name / "prepared"
    for place in (folder, prepared / "public", prepared / "private"):
        place.mkdir(parents=True)
    (folder / "config.yaml").write_text(CONFIG.format(name=name))
    (folder / "grade.py").write_text(code)
    (folder / "prepare.py").write_text("def prepare(raw, public, private):\n    pass\n")
    (folder / "description.md").write_text("Say which label each row has.\n")
    (folder / "leaderboard.csv").write_text(LEADERBOARD)
    (prepared / "private" / "answers.csv").write_bytes(answers)
    (prepared / "public" / "sample_submission.csv").write_bytes(submission)
    for stem, content in files.items():
        (path,) = folder.glob(f"{stem}.*")
        path.write_bytes(content)
