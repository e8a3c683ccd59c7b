"""mlebench: how well do AI agents do machine-learning engineering?

The public names, loaded when first used so that importing the package costs nothing.
"""

TYPE_CHECKING = False  # not from typing, whose import would cost more than all the rest

if TYPE_CHECKING:
    from mlebench.competition import Competition
    from mlebench.errors import InvalidSubmissionError, MlebenchError
    from mlebench.grade import grade_csv, grade_jsonl, validate_submission
    from mlebench.grade_helpers import CompetitionReport, Grader
    from mlebench.leaderboard import Leaderboard
    from mlebench.registry import Registry, registry

__all__ = [
    "Competition",
    "CompetitionReport",
    "Grader",
    "InvalidSubmissionError",
    "Leaderboard",
    "MlebenchError",
    "Registry",
    "grade_csv",
    "grade_jsonl",
    "registry",
    "validate_submission",
]

_HOMES = {
    "Competition": "mlebench.competition",
    "CompetitionReport": "mlebench.grade_helpers",
    "Grader": "mlebench.grade_helpers",
    "InvalidSubmissionError": "mlebench.errors",
    "Leaderboard": "mlebench.leaderboard",
    "MlebenchError": "mlebench.errors",
    "Registry": "mlebench.registry",
    "grade_csv": "mlebench.grade",
    "grade_jsonl": "mlebench.grade",
    "registry": "mlebench.registry",
    "validate_submission": "mlebench.grade",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from mlebench.settings import own_version

        return own_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'mlebench' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
