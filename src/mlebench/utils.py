"""Small helpers, under the import line of the original."""

from __future__ import annotations

import importlib
import logging
import time
import uuid
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.errors import ConfigError
from mlebench.settings import LOG_FORMAT, PACKAGE_DIR

if TYPE_CHECKING:
    import pandas as pd


def read_csv(*args: Any, **kwargs: Any) -> pd.DataFrame:
    """Read a csv with exactly rounded floats; an empty file gives an empty frame."""
    import pandas as pd

    from mlebench.tables import ROUND_TRIP

    try:
        frame: pd.DataFrame = pd.read_csv(*args, **{**ROUND_TRIP, **kwargs})
    except pd.errors.EmptyDataError:
        source = args[0] if args else kwargs.get("filepath_or_buffer")
        warnings.warn(f"The csv file {source} is empty.", stacklevel=2)
        return pd.DataFrame()
    return frame


def read_jsonl(file_path: Path | str, skip_commented_out_lines: bool = False) -> list[Any]:
    """The records of a JSON-lines file."""
    import json

    with Path(file_path).open(encoding="utf-8") as lines:
        kept = [line for line in lines if line.strip()]
    if skip_commented_out_lines:
        kept = [line for line in kept if not line.strip().startswith(("#", "//"))]
    return [json.loads(line) for line in kept]


def load_answers(path_to_answers: Path | str) -> Any:
    """Answers by file type: a table for csv, a list of records for jsonl."""
    path = Path(path_to_answers)
    if path.suffix == ".csv":
        return read_csv(path)
    if path.suffix == ".jsonl":
        return read_jsonl(path)
    raise ValueError(f"Unsupported file format for answers: {path}")


def load_yaml(fpath: Path | str) -> Any:
    """The content of a YAML file."""
    from mlebench.facts import load_yaml as load

    return load(Path(fpath))


def import_fn(fn_import_string: str) -> Callable[..., Any]:
    """The function behind ``package.module:function``."""
    module_name, _, name = fn_import_string.partition(":")
    try:
        return getattr(importlib.import_module(module_name), name)  # type: ignore[no-any-return]
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"Cannot import {fn_import_string!r}: {error}") from error


def extract(
    archive: Path | str,
    extract_dir: Path | str,
    recursive: bool = False,
    already_extracted: Mapping[Path, Any] | None = None,
) -> None:
    """Unpack a zip or 7z archive, on request with the archives inside it."""
    from mlebench.archives import extract_any

    folder = Path(extract_dir)
    before = set(folder.rglob("*")) if folder.is_dir() else set()
    extract_any(Path(archive), folder)
    if not recursive:
        return
    for path in sorted(set(folder.rglob("*")) - before - set(already_extracted or ())):
        if path.suffix in (".zip", ".7z"):
            extract(path, path.with_suffix(""), recursive=True)


def compress(src: Path | str, compressed: Path | str, exist_ok: bool = False) -> None:
    """Zip a file or folder; without ``exist_ok`` an existing target is an error."""
    source, target = Path(src), Path(compressed)
    if not source.exists():
        raise FileNotFoundError(f"Source `{source}` does not exist.")
    if target.exists() and not exist_ok:
        raise FileExistsError(f"`{target}` exists already.")
    from mlebench.archives import pack

    if source.is_file():
        pack(target, {source.name: source})
        return
    files = sorted(path for path in source.rglob("*") if path.is_file())
    pack(target, {path.relative_to(source).as_posix(): path for path in files})


def get_logger(
    name: str, level: int = logging.INFO, filename: Path | str | None = None
) -> logging.Logger:
    """A logger that is heard: on stderr unless logging is set up already, and in a file."""
    logger = logging.getLogger(name)
    logger.setLevel(level)
    if not logger.hasHandlers():
        _add_handler(logger, logging.StreamHandler())
    if filename is not None:
        path = str(Path(filename).absolute())
        if path not in [getattr(handler, "baseFilename", None) for handler in logger.handlers]:
            _add_handler(logger, logging.FileHandler(path))
    return logger


def _add_handler(logger: logging.Logger, handler: logging.Handler) -> None:
    handler.setFormatter(logging.Formatter(LOG_FORMAT))
    logger.addHandler(handler)


def get_timestamp() -> str:
    """The current GMT time in the form used in file names."""
    return time.strftime("%Y-%m-%dT%H-%M-%S-%Z", time.gmtime())


def get_module_dir() -> Path:
    """The folder of the package."""
    return PACKAGE_DIR


def get_repo_dir() -> Path:
    """The folder the package's folder lies in; the checkout, if it is one."""
    root = PACKAGE_DIR.parent
    return root.parent if root.name == "src" else root


def get_runs_dir() -> Path:
    """Where runs are kept by default: in the checkout, or else in the current folder."""
    root = get_repo_dir()
    return (root if (root / "pyproject.toml").is_file() else Path.cwd()) / "runs"


def create_run_dir(
    competition_id: str | None = None,
    agent_id: str | None = None,
    run_group: str | None = None,
) -> Path:
    """Create a folder for a run: inside a run group, or on its own."""
    identity = str(uuid.uuid4())
    if run_group:
        run_dir = get_runs_dir() / run_group / f"{competition_id}_{identity}"
    else:
        parts = [get_timestamp(), competition_id, agent_id, identity[:8]]
        run_dir = get_runs_dir() / "_".join(str(part).replace("/", "-") for part in parts if part)
    run_dir.mkdir(parents=True)
    return run_dir


def purple(text: str) -> str:
    """The text in purple on a terminal."""
    return f"\033[1;35m{text}\033[0m"


def is_empty(directory: Path | str) -> bool:
    """Whether a folder holds nothing."""
    return not any(Path(directory).iterdir())


def get_path_to_callable(function: Callable[..., Any]) -> Path:
    """The file a function is defined in, relative to the checkout."""
    import inspect

    file = Path(inspect.getfile(function)).resolve()
    return file.relative_to(get_repo_dir()) if file.is_relative_to(get_repo_dir()) else file


def authenticate_kaggle_api() -> Any:
    """A Kaggle client that has proven that its login works.

    Raises:
        PermissionError: There is no login, or Kaggle refuses it.
    """
    from mlebench.data.kaggle import KaggleClient

    client = KaggleClient()
    client.check_login()
    return client
