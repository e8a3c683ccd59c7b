"""What is imported before a grader's process is forked: libraries, and nobody's programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.grading import libraries


@pytest.mark.parametrize(
    ("source", "imported"),
    [
        ("import numpy as np, scipy.stats", ["numpy", "scipy.stats"]),
        ("from sklearn.metrics import f1_score", ["sklearn.metrics"]),
        ("def grade(s, a):\n    import pandas", ["pandas"]),
        ("from mlebench.grade_helpers import InvalidSubmissionError", ["mlebench.grade_helpers"]),
        ("import torch, os, grade, antigravity", []),
        ("import sklearn.__check_build._setup, numpy.f2py.__main__", []),
        ("from mlebench.cli import main", []),
    ],
)
def test_only_libraries_that_bear_being_forked(
    source: str, imported: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "grade.py").write_text(source)
    found: list[str] = []
    monkeypatch.setattr(libraries, "import_module", found.append)
    libraries.import_libraries(tmp_path)
    assert found == imported
