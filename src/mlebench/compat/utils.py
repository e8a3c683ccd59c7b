"""Small helpers, under the import line of the original."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.grading.summary import get_timestamp
from mlebench.registry.loader import import_function
from mlebench.settings import LOG_FORMAT, PACKAGE_DIR

if TYPE_CHECKING:
    pass


def load_yaml(fpath: Path | str) -> Any:
    """The content of a YAML file."""
    from mlebench.registry.facts import load_yaml as load

    return load(Path(fpath))


def import_fn(fn_import_string: str) -> Callable[..., Any]:
    """The function behind ``package.module:function``."""
    return import_function(fn_import_string)


def extract(
    archive: Path | str,
    extract_dir: Path | str,
    recursive: bool = False,
    already_extracted: Mapping[Path, Any] | None = None,
) -> None:
    """Unpack a zip or 7z archive, on request with the archives inside it."""
    from mlebench.preparing.archives import extract_any

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
    from mlebench.preparing.archives import pack

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
