"""Graders and reports, under the import line of the original."""

from mlebench.errors import GraderError, InvalidSubmissionError
from mlebench.grading.report import CompetitionReport
from mlebench.registry.grader import Grader

__all__ = ["CompetitionReport", "Grader", "GraderError", "InvalidSubmissionError"]
