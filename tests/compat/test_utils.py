"""What the small helpers under the original's import line mean."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from mlebench import utils
from mlebench.registry import Registry

ID = "spaceship-titanic"
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
TIMESTAMP = "%Y-%m-%dT%H-%M-%S-%Z"


def run_script(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program of its own, where nobody has set up logging."""
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )


# -- tables and records ---------------------------------------------------------------------


def test_read_csv(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n0.30000000000000004,x\n")
    assert utils.read_csv(path)["a"][0] == 0.30000000000000004
    assert list(utils.read_csv(str(path), usecols=["b"]).columns) == ["b"]
    assert utils.read_csv(filepath_or_buffer=path, index_col="b").index.tolist() == ["x"]
    path.write_text("")
    with pytest.warns(UserWarning, match=r"table\.csv is empty"):
        assert utils.read_csv(path).empty


def test_read_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": 1}\n{"a": "ü"}\n', encoding="utf-8")
    assert utils.read_jsonl(path) == [{"a": 1}, {"a": "ü"}]
    assert utils.read_jsonl(file_path=str(path), skip_commented_out_lines=True)[0] == {"a": 1}


@pytest.mark.parametrize("line", ["", "  ", "# comment", "// comment", "  # comment"])
def test_read_jsonl_skips_blank_and_comment_lines_on_request_only(
    line: str, tmp_path: Path
) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n{{"a": "#"}}\n')
    assert utils.read_jsonl(path, True) == [{"a": 1}, {"a": "#"}]
    with pytest.raises(json.JSONDecodeError):
        utils.read_jsonl(path)


def test_load_answers(tmp_path: Path) -> None:
    table, records = tmp_path / "a.csv", tmp_path / "a.jsonl"
    table.write_text("a\n1\n")
    records.write_text('{"a": 1}\n{"a": 2}\n')
    assert isinstance(utils.load_answers(table), pd.DataFrame)
    assert utils.load_answers(path_to_answers=records) == [{"a": 1}, {"a": 2}]
    with pytest.raises(ValueError, match="Unsupported"):
        utils.load_answers(tmp_path / "a.parquet")


# -- archives -------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files, one of them deeper down."""
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "sub" / "b.txt").write_text("b")
    return folder


@pytest.mark.parametrize("suffix", ["zip", "7z"])
def test_compress_and_extract(suffix: str, folder: Path, tmp_path: Path) -> None:
    if suffix == "7z":
        pytest.importorskip("py7zr")
    archive = tmp_path / "new" / f"folder.{suffix}"
    utils.compress(folder, archive)
    with pytest.raises(FileExistsError):
        utils.compress(folder, archive)
    (folder / "a.txt").write_text("changed")
    utils.compress(src=str(folder), compressed=str(archive), exist_ok=True)
    utils.extract(compressed=str(archive), dst=str(tmp_path / "out"))
    out = tmp_path / "out"
    files = {p.relative_to(out).as_posix(): p.read_text() for p in out.rglob("*") if p.is_file()}
    assert files == {"a.txt": "changed", "sub/b.txt": "b"}


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.gz", "a.rar", "a.csv"])
def test_other_kinds_of_archives_are_not_implemented(
    name: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(NotImplementedError, match=re.escape(name)):
        utils.compress(folder, tmp_path / name)
    assert not (tmp_path / name).exists()
    (tmp_path / name).write_bytes(b"anything")
    with pytest.raises(NotImplementedError, match=re.escape(name)):
        utils.extract(tmp_path / name, tmp_path / "out")


def test_nothing_to_compress(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        utils.compress(tmp_path / "missing", tmp_path / "a.zip")


def write_zip(path: Path, **members: str | Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            if isinstance(content, Path):
                archive.write(content, name.replace("__", "/") + content.suffix)
            else:
                archive.writestr(name.replace("__", "/") + ".txt", content)
    return path


def test_archives_inside_are_unpacked_beside_themselves(tmp_path: Path) -> None:
    innermost = write_zip(tmp_path / "innermost.zip", c="c")
    inner = write_zip(tmp_path / "inner.zip", sub__b="b", innermost=innermost)
    deeper = write_zip(tmp_path / "deeper.zip", d="d")
    outer = write_zip(tmp_path / "outer.zip", a="a", inner=inner, folder__deeper=deeper)

    utils.extract(outer, tmp_path / "flat")
    assert {path.name for path in (tmp_path / "flat").rglob("*.*")} == {
        "a.txt", "inner.zip", "deeper.zip",
    }  # fmt: skip

    dst = tmp_path / "nested"
    utils.extract(outer, dst, recursive=True)
    files = {path.relative_to(dst).as_posix() for path in dst.rglob("*") if path.is_file()}
    assert files == {
        "a.txt", "inner.zip", "sub/b.txt", "innermost.zip", "c.txt", "folder/deeper.zip",
    }  # fmt: skip


def test_archives_that_lie_in_the_folder_are_unpacked_too(tmp_path: Path) -> None:
    write_zip(tmp_path / "earlier.zip", b="b")
    archive = write_zip(tmp_path / "archive.zip", a="a")
    utils.extract(archive, tmp_path, recursive=True)
    assert {path.name for path in tmp_path.iterdir()} == {
        "earlier.zip", "archive.zip", "a.txt", "b.txt",
    }  # fmt: skip


def test_archives_named_as_extracted_are_left_alone(tmp_path: Path) -> None:
    earlier = write_zip(tmp_path / "earlier.zip", b="b")
    archive = write_zip(tmp_path / "archive.zip", a="a")
    done = {earlier}
    utils.extract(archive, tmp_path, recursive=True, already_extracted=done)
    assert not (tmp_path / "b.txt").exists()
    assert done == {earlier, archive}
    # Nothing is remembered from one call to the next unless the caller does.
    (tmp_path / "a.txt").unlink()
    utils.extract(archive, tmp_path, True)
    assert (tmp_path / "a.txt").exists()
    assert (tmp_path / "b.txt").exists()


@pytest.mark.parametrize("suffix", ["zip", "tar", "gz", "tgz", "tar.gz", "rar", "7z"])
def test_is_compressed(suffix: str) -> None:
    assert utils.is_compressed(Path("folder") / f"a.{suffix}") is True
    assert utils.is_compressed(Path(suffix) / "a.csv") is False


# -- logging --------------------------------------------------------------------------------


def test_get_logger_is_heard(tmp_path: Path) -> None:
    """In a program that sets up no logging, INFO lines reach stderr, and no line twice."""
    script = (
        "from mlebench.utils import get_logger\n"
        "for _ in range(2): logger = get_logger('client', filename='client.log')\n"
        "logger.info('hello')\n"
        "logger.debug('whisper')\n"
        "get_logger('other').info('you')\n"
    )
    done = run_script(script, tmp_path)
    lines = [line.partition("] ")[2] for line in done.stderr.splitlines()]
    assert lines == ["[<string>:3] hello", "[<string>:5] you"]
    assert (tmp_path / "client.log").read_text().count("hello") == 1
    assert not done.stdout


def test_get_logger_sets_the_root_logger_up(tmp_path: Path) -> None:
    script = (
        "import logging\n"
        "from mlebench.utils import get_logger\n"
        "from mlebench.competitions.utils import get_logger as same\n"
        "root = logging.getLogger()\n"
        "assert not root.handlers, 'set up by a mere import'\n"
        "get_logger('client', level=logging.DEBUG)\n"
        "same('client')\n"
        "print(len(root.handlers), root.level, root.handlers[0].formatter._fmt)\n"
        "root.setLevel(logging.ERROR)\n"
        "logging.getLogger('client').warning('silenced')\n"
    )
    done = run_script(script, tmp_path)
    expected = "1 10 [%(asctime)s] [%(filename)s:%(lineno)d] %(message)s\n"
    assert done.stdout == expected
    assert not done.stderr


def test_get_logger_respects_existing_logging(caplog: pytest.LogCaptureFixture) -> None:
    handlers = logging.getLogger().handlers[:]
    logger = utils.get_logger(name="compat-client", level=logging.INFO)
    logger.info("hello")
    assert caplog.messages == ["hello"]
    assert not logger.handlers
    assert logging.getLogger().handlers == handlers


def test_no_module_of_ours_sets_logging_up(tmp_path: Path) -> None:
    script = (
        "import logging, mlebench.utils, mlebench.grade, mlebench.grade_helpers\n"
        "import mlebench.competitions.utils, mlebench.compat.data, mlebench.compat.metrics\n"
        "from mlebench.registry import registry\n"
        f"registry.get_competition({ID!r}).task.module\n"
        "assert not logging.getLogger().handlers\n"
    )
    assert not run_script(script, tmp_path).stderr


# -- places and runs ------------------------------------------------------------------------


def test_places_are_absolute() -> None:
    assert utils.get_module_dir() == Path(utils.__file__).resolve().parent
    assert utils.get_module_dir().is_relative_to(utils.get_repo_dir())
    assert utils.get_runs_dir().name == "runs"
    for place in (utils.get_module_dir(), utils.get_repo_dir(), utils.get_runs_dir()):
        assert place.is_absolute()


def test_timestamp_is_utc() -> None:
    before = int(time.time())
    stamp = utils.get_timestamp()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-(UTC|GMT)", stamp)
    then = time.mktime(time.strptime(stamp, TIMESTAMP)) - time.timezone
    assert abs(then - before) < 60


def test_run_ids() -> None:
    grouped = utils.generate_run_id(ID, "aide/dev", "2026-01-01T00-00-00-GMT_run-group_aide")
    assert re.fullmatch(rf"{ID}_{UUID}", grouped)
    alone = utils.generate_run_id(competition_id=ID, agent_id="dummy")
    stamp, _, rest = alone.partition("_")
    time.strptime(stamp, TIMESTAMP)
    assert re.fullmatch(rf"{ID}_dummy_[0-9a-f]{{8}}", rest)
    assert utils.generate_run_id(ID, "dummy") != alone


def test_run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlebench.compat.runs.get_runs_dir", lambda: tmp_path / "runs")
    grouped = utils.create_run_dir(competition_id=ID, agent_id="aide/dev", run_group="group")
    assert grouped.is_dir()
    assert grouped.parent == tmp_path / "runs" / "group"
    assert re.fullmatch(rf"{ID}_{UUID}", grouped.name)
    alone = utils.create_run_dir(ID, "dummy")
    assert alone.parent == tmp_path / "runs"
    assert re.fullmatch(rf".*_{ID}_dummy_[0-9a-f]{{8}}", alone.name)
    assert utils.create_run_dir().is_dir()

    monkeypatch.setattr("mlebench.compat.runs.generate_run_id", lambda *_: alone.name)
    with pytest.raises(FileExistsError):
        utils.create_run_dir(ID, "dummy")


# -- small things ---------------------------------------------------------------------------


def test_small_things(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    assert utils.is_empty(dir=tmp_path)
    path.write_text("a: [1, 2]\n")
    assert not utils.is_empty(str(tmp_path))
    assert utils.load_yaml(fpath=path) == utils.load_yaml(str(path)) == {"a": [1, 2]}
    assert utils.import_fn("os.path:join") is os.path.join
    assert re.fullmatch("\033\\[[0-9;]+mtext\033\\[0m", utils.purple(str="text"))


def test_diff_of_sorted_yaml() -> None:
    ours = {"b": {"x": 1}, "a": [1, 2]}
    theirs = {"a": [1, 2], "b": {"x": 2}}
    assert utils.get_diff(ours, dict(reversed(ours.items()))) == ""
    lines = utils.get_diff(ours, theirs).splitlines()
    assert [line.strip() for line in lines[:2]] == ["--- d", "+++ other_d"]
    assert lines[3:] == [" - 1", " - 2", " b:", "-  x: 1", "+  x: 2"]
    named = utils.get_diff(d=ours, other_d=theirs, fromfile="actual", tofile="expected")
    assert re.match(r"--- actual\s*\n\+\+\+ expected\s*\n", named)


def test_path_to_a_callable() -> None:
    prepare = Registry().get_competition(ID).prepare_fn
    for function in (utils.get_diff, Registry, prepare, json.dumps, print_nothing):
        path = utils.get_path_to_callable(function)
        assert not path.is_absolute()
        assert (utils.get_repo_dir() / path).is_file()
    assert utils.get_path_to_callable(callable=utils.get_diff).parts[-3:] == (
        "mlebench", "compat", "utils.py",
    )  # fmt: skip


class _Printer:
    def __call__(self) -> None:
        """A callable that is no function has the file of its class."""


print_nothing = _Printer()


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("1", False), (None, False)])
def test_in_ci(value: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is None:
        monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    else:
        monkeypatch.setenv("GITHUB_ACTIONS", value)
    assert utils.in_ci() is expected
