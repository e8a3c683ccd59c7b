"""mlebench: how well do AI agents do machine-learning engineering?

The public names, loaded when first used so that importing the package costs nothing.
``mlebench.registry`` is the module, as in the original; the registry itself is
``mlebench.registry.registry``.
"""

from mlebench.lazily import TYPE_CHECKING, names_from

if TYPE_CHECKING:
    from mlebench import registry as registry
    from mlebench.compat.grade import validate_submission
    from mlebench.errors import InvalidSubmissionError, MlebenchError
    from mlebench.grading.batch import grade_jsonl
    from mlebench.grading.report import CompetitionReport
    from mlebench.grading.results import reports_frame
    from mlebench.grading.single import grade_csv
    from mlebench.registry import Registry
    from mlebench.registry.competition import Competition
    from mlebench.registry.grader import Grader
    from mlebench.registry.leaderboard import Leaderboard

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
    "reports_frame",
    "validate_submission",
]

_get, _names = names_from(
    __name__,
    {
        "Competition": "mlebench.registry.competition",
        "CompetitionReport": "mlebench.grading.report",
        "Grader": "mlebench.registry.grader",
        "InvalidSubmissionError": "mlebench.errors",
        "Leaderboard": "mlebench.registry.leaderboard",
        "MlebenchError": "mlebench.errors",
        "Registry": "mlebench.registry",
        "grade_csv": "mlebench.grading.single",
        "grade_jsonl": "mlebench.grading.batch",
        "reports_frame": "mlebench.grading.results",
        "validate_submission": "mlebench.compat.grade",
    },
)


def __getattr__(name: str) -> object:
    if name == "registry":
        from importlib import import_module

        return import_module("mlebench.registry")
    if name == "__version__":
        from mlebench.versions import own_version

        return own_version()
    return _get(name)


def __dir__() -> list[str]:
    return sorted([*_names(), "__version__", "registry"])
