"""Small helpers, under the import line of the original."""

from mlebench.compat.utils import (
    authenticate_kaggle_api,
    compress,
    create_run_dir,
    extract,
    get_logger,
    get_module_dir,
    get_path_to_callable,
    get_repo_dir,
    get_runs_dir,
    import_fn,
    is_empty,
    load_yaml,
    purple,
)
from mlebench.grading.summary import get_timestamp
from mlebench.registry.plain_tables import load_answers, read_csv, read_jsonl

__all__ = [
    "authenticate_kaggle_api",
    "compress",
    "create_run_dir",
    "extract",
    "get_logger",
    "get_module_dir",
    "get_path_to_callable",
    "get_repo_dir",
    "get_runs_dir",
    "get_timestamp",
    "import_fn",
    "is_empty",
    "load_answers",
    "load_yaml",
    "purple",
    "read_csv",
    "read_jsonl",
]
