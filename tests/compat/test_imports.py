"""Importing costs little and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ["numpy", "pandas", "pyarrow", "scipy", "sklearn", "typer", "rich", "httpx", "PIL", "yaml"]

MODULES = [
    "mlebench",
    "mlebench.registry",
    "mlebench.utils",
    "mlebench.grade",
    "mlebench.data",
    "mlebench.grade_helpers",
    "mle_bench.validation",
]


def loaded_by(code: str, folder: Path) -> list[str]:
    """The heavy modules that a fresh interpreter has loaded after some code, which must work."""
    script = (
        f"import json, sys\n{code}\nprint(json.dumps([m for m in {HEAVY} if m in sys.modules]))"
    )
    environment = {
        **os.environ,
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder / ".cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    loaded: list[str] = json.loads(done.stdout)
    return loaded


@pytest.mark.parametrize("module", MODULES)
def test_an_import_loads_nothing_heavy_and_writes_nothing(module: str, tmp_path: Path) -> None:
    assert loaded_by(f"import {module}", tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_looking_at_a_competition_loads_and_writes_next_to_nothing(tmp_path: Path) -> None:
    code = (
        "from mlebench.registry import registry\n"
        "registry.get_competition('spaceship-titanic').grader.name\n"
        "registry.list_competition_ids()"
    )
    assert loaded_by(code, tmp_path) == []
    assert not list(tmp_path.iterdir())


def test_metrics_need_numpy_only(tmp_path: Path) -> None:
    code = "from mlebench.metrics import dice_coefficient, mean_average_precision_at_k"
    assert loaded_by(code, tmp_path) == ["numpy"]


def test_competition_helpers_do_without_the_learning_libraries(tmp_path: Path) -> None:
    loaded = loaded_by("from mlebench.competitions.utils import df_to_one_hot", tmp_path)
    assert not {"sklearn", "scipy", "typer"} & set(loaded)


def test_looking_for_prepared_data_needs_no_pandas(tmp_path: Path) -> None:
    code = (
        "from mlebench.data import get_leaderboard, is_dataset_prepared, download_dataset\n"
        "from mlebench.utils import authenticate_kaggle_api, extract, get_logger"
    )
    assert loaded_by(code, tmp_path) == []


COMPETITION = "spaceship-titanic"
IS_MODULE = "assert type(registry).__name__ == 'module', registry\n"


@pytest.mark.parametrize(
    "before",
    [
        "",
        "import mlebench.registry",
        "from mlebench.registry import registry as singleton",
        "from mlebench import Registry",
        "from mlebench import Competition, grade_csv, validate_submission",
        "from mlebench.grade import grade_csv, DEFAULT_REGISTRY",
        "import mlebench.utils, mlebench.data, mlebench.grade_helpers",
        "from mlebench.data import get_leaderboard",
        "from mlebench import *",
    ],
)
def test_the_registry_of_the_package_is_the_module(before: str, tmp_path: Path) -> None:
    """Whatever was imported before, at the first access and at the second."""
    accesses = [
        "from mlebench import registry",
        "import mlebench; registry = mlebench.registry",
    ]
    use = f"assert registry.registry.get_competition({COMPETITION!r}).id == {COMPETITION!r}\n"
    for first, second in (accesses, reversed(accesses)):
        loaded_by(f"{before}\n{first}\n{IS_MODULE}{second}\n{IS_MODULE}{use}", tmp_path)


def test_attributes_of_the_registry_module(tmp_path: Path) -> None:
    code = (
        "import mlebench\n"
        "ids = mlebench.registry.registry.list_competition_ids()\n"
        "from mlebench import registry\n"
        "assert registry is mlebench.registry is __import__('sys').modules['mlebench.registry']\n"
        "assert isinstance(registry.registry, registry.Registry)\n"
        "assert mlebench.Registry is registry.Registry\n"
        "assert registry.registry.list_competition_ids() == ids"
    )
    loaded_by(code, tmp_path)
