"""Names, order and defaults of parameters: programs call by position and by keyword."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

# As they are written in the original; three dots stand for any default.
SIGNATURES = {
    "mlebench.competitions.utils": {
        "df_to_one_hot": "df, id_column, target_column, classes",
        "one_hot_dfs_to_log_loss_inputs": (
            "submission_one_hot, answers_one_hot, id_column='id', apply_softmax=True"
        ),
        "is_one_hot_encoded": "xs",
        "rle_decode": "rle_string, height, width",
        "rle_encode": "x, fg_val=1",
        "rles_to_masks": "rl_encodings, image_heights, image_widths",
        "get_ids_from_tf_records": "tf_record_path, id_feature='image_name'",
        "prepare_for_accuracy_metric": "submission, answers, target_column, id_column",
        "prepare_for_auroc_metric": "submission, answers, id_col, target_col",
        "get_logger": "name, level=20, filename=None",
    },
    "mlebench.metrics": {
        "average_precision_at_k": "actual, predicted, k",
        "mean_average_precision_at_k": "actual, predicted, k",
        "dice_coefficient": "predicted_mask, true_mask, both_empty_value=nan",
    },
    "mlebench.utils": {
        "read_csv": "*args, **kwargs",
        "read_jsonl": "file_path, skip_commented_out_lines=False",
        "load_answers": "path_to_answers",
        "extract": "compressed, dst, recursive=False, already_extracted=...",
        "compress": "src, compressed, exist_ok=False",
        "is_compressed": "fpath",
        "is_empty": "dir",
        "load_yaml": "fpath",
        "import_fn": "fn_import_string",
        "purple": "str",
        "get_logger": "name, level=20, filename=None",
        "get_timestamp": "",
        "get_runs_dir": "",
        "get_module_dir": "",
        "get_repo_dir": "",
        "generate_run_id": "competition_id, agent_id, run_group=None",
        "create_run_dir": "competition_id=None, agent_id=None, run_group=None",
        "get_diff": "d, other_d, fromfile='d', tofile='other_d'",
        "get_path_to_callable": "callable",
        "in_ci": "",
        "authenticate_kaggle_api": "",
    },
    "mlebench.data": {
        "download_and_prepare_dataset": (
            "competition, keep_raw=True, overwrite_checksums=False, "
            "overwrite_leaderboard=False, skip_verification=False"
        ),
        "download_dataset": "competition_id, download_dir, quiet=False, force=False",
        "create_prepared_dir": "competition",
        "is_dataset_prepared": "competition, grading_only=False",
        "ensure_leaderboard_exists": "competition, force=False",
        "get_leaderboard": "competition",
        "get_checksum": "fpath",
        "generate_checksums": "target_dir, exts=None, exclude=None",
        "get_last_modified": "fpath",
        "is_valid_prepare_fn": "preparer_fn",
    },
    "mlebench.grade": {
        "aggregate_reports": "competition_reports",
        "grade_csv": "path_to_submission, competition",
        "grade_jsonl": "path_to_submissions, output_dir, registry=...",
        "validate_submission": "submission, competition",
    },
    "mlebench.grade_helpers": {"Grader": "name, grade_fn"},
}


def check_signature(function: Callable[..., Any], expected: str) -> None:
    """Compare a function's parameters with their written form; ours may add keyword-only ones."""
    found, patterns = [], expected.split(", ") if expected else []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            bare = parameter.replace(annotation=parameter.empty)
            any_default = f"{parameter.name}=..." in patterns and bare.default is not bare.empty
            found.append(f"{parameter.name}=..." if any_default else str(bare))
    assert found == patterns


@pytest.mark.parametrize(
    ("module", "name"), [(module, name) for module, names in SIGNATURES.items() for name in names]
)
def test_signature(module: str, name: str) -> None:
    function = getattr(import_module(module), name)
    check_signature(function, SIGNATURES[module][name])


@pytest.mark.parametrize("module", SIGNATURES)
def test_the_names_are_listed(module: str) -> None:
    names = import_module(module).__all__
    assert set(SIGNATURES[module]) <= set(names)
    assert set(names) <= set(dir(import_module(module)))


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("competitions_list", "group=None, category=None, sort_by=None, page=1, search=None"),
        ("competition_download_files", "competition, path=..., quiet=..., force=..."),
        ("competition_download_file", "competition, file_name, path=..., quiet=..., force=..."),
        ("competition_leaderboard_download", "competition, path=..., quiet=..."),
        ("get_config_value", "name"),
    ],
)
def test_methods_of_the_kaggle_client(method: str, expected: str) -> None:
    from mlebench.compat.kaggle_api import KaggleApi
    from mlebench.data.kaggle import KaggleClient

    check_signature(getattr(KaggleApi(KaggleClient("http://127.0.0.1:9")), method), expected)


def test_further_names() -> None:
    from mlebench.competitions.utils import InvalidSubmissionError
    from mlebench.competitions.utils import get_logger as logger_for_competitions
    from mlebench.grade import DEFAULT_REGISTRY
    from mlebench.grade_helpers import CompetitionReport, Grader
    from mlebench.grade_helpers import InvalidSubmissionError as Same
    from mlebench.registry import registry
    from mlebench.utils import get_logger

    assert InvalidSubmissionError is Same
    assert logger_for_competitions is get_logger
    assert DEFAULT_REGISTRY is registry
    assert callable(Grader.from_dict)
    assert callable(CompetitionReport.from_dict)
    assert callable(CompetitionReport.to_dict)
