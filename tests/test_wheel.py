"""What is installed from a wheel is all there is in the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.conftest import CHECKOUT

PACKAGES = ("mlebench", "mle_bench")


def test_a_wheel_lacks_nothing(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
        cwd=CHECKOUT, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.split("/")[0] in PACKAGES}
    source = CHECKOUT / "src"
    files = (path for name in PACKAGES for path in (source / name).rglob("*") if path.is_file())
    there = {path.relative_to(source).as_posix() for path in files if path.suffix != ".pyc"}
    assert there == packed
