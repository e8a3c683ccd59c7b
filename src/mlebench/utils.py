"""Small helpers, under the import line of the original."""

from mlebench.compat.archives import compress, extract, is_compressed
from mlebench.compat.kaggle_api import authenticate_kaggle_api
from mlebench.compat.logs import get_logger
from mlebench.compat.runs import (
    create_run_dir,
    generate_run_id,
    get_module_dir,
    get_repo_dir,
    get_runs_dir,
)
from mlebench.compat.utils import (
    get_diff,
    get_path_to_callable,
    import_fn,
    in_ci,
    is_empty,
    load_yaml,
    purple,
    read_jsonl,
)
from mlebench.grading.summary import get_timestamp
from mlebench.registry.plain_tables import load_answers, read_csv

__all__ = [
    "authenticate_kaggle_api",
    "compress",
    "create_run_dir",
    "extract",
    "generate_run_id",
    "get_diff",
    "get_logger",
    "get_module_dir",
    "get_path_to_callable",
    "get_repo_dir",
    "get_runs_dir",
    "get_timestamp",
    "import_fn",
    "in_ci",
    "is_compressed",
    "is_empty",
    "load_answers",
    "load_yaml",
    "purple",
    "read_csv",
    "read_jsonl",
]
