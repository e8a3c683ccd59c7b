"""The reader of the pages notices when a page is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import is_shown
from tests.docs.reader import PageError, Reader


@pytest.fixture
def follow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)

    def write_and_follow(text: str, **patience: float) -> None:
        page = tmp_path / "page.md"
        page.write_text(text, encoding="utf-8")
        Reader(monkeypatch, **patience).follow(page)

    return write_and_follow


def fenced(kind: str, *lines: str) -> str:
    return "\n".join((f"```{kind}", *lines, "```", ""))


def test_blocks_share_files_variables_and_names_in_the_order_of_the_page(follow) -> None:
    follow(
        "Write `deep/table.csv`:\n\n"
        + fenced("csv", "a,b", "1,2")
        + fenced("sh", "export PLACE=deep", "cd $PLACE")
        + fenced("python", "import os, pathlib", "text = pathlib.Path('table.csv').read_text()")
        + fenced("console", "$ cat table.csv", "a,b", "1,2", "$ echo $PLACE > made.txt")
        + fenced(
            "python", "print(text + pathlib.Path('made.txt').read_text() + os.environ['PLACE'])"
        )
        + fenced("text", "a,b", "...", "deep", "deep")
    )


def test_commands_see_the_terminal_that_users_have(follow) -> None:
    follow(
        fenced(
            "console",
            "$ mlebench explain row_count",
            "code   row_count",
            "means  ...",
            "mend   ...",
        )
    )
    wide = "─" * 44 + "  ─────  ─────  ────"
    follow(fenced("console", "$ mlebench competitions --split dev", "comp...", wide, "..."))


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        (fenced("console", "$ mlebench explain row_count", "other"), "page.md:1: mlebench"),
        (fenced("console", "$ mlebench explain nonsense"), "exits with 2"),
        (fenced("console", "$ mlebench explain    # exits with 4"), "exits with 0"),
        (fenced("console", "$ cat nowhere.csv"), "No such file"),
        (fenced("sh", "false", "true"), "exits with 1"),
        (fenced("python", "import nowhere"), "ModuleNotFoundError"),
        (fenced("python", "print(1)") + fenced("text", "2"), "printed instead:\n1"),
        (fenced("python", "import warnings", "warnings.warn('x')"), "UserWarning"),
        (fenced("csv", "a,b", "1"), "is no csv"),
        (fenced("json", "{"), "is no json"),
        (fenced("yaml", "a: b: c"), "is no yaml"),
        (fenced("text", "any"), "neither a file nor the output"),
        (fenced("", "any"), "nobody can tell"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(follow, page: str, complaint: str) -> None:
    with pytest.raises(PageError) as told:
        follow(page)
    assert complaint in str(told.value)
    assert "page.md:" in str(told.value)


ENDLESS_THREAD = "import threading, time\nthreading.Thread(target=time.sleep, args=[600]).start()"


@pytest.mark.parametrize(
    "block",
    [
        fenced("python", "while True: pass"),
        fenced("python", ENDLESS_THREAD),
        fenced("sh", "sleep 600"),
        fenced("console", "$ echo begun && sleep 600"),
    ],
    ids=["python", "thread", "sh", "console"],
)
def test_what_does_not_end_is_told(follow, block: str) -> None:
    with pytest.raises(PageError, match=r"page.md:1: is not done within 0\.5 seconds"):
        follow(block, patience=0.5)


def test_nothing_is_typed_while_a_page_runs(follow) -> None:
    with pytest.raises(PageError, match="EOFError"):
        follow(fenced("python", "input()") + fenced("python", "print(1)"))
    with pytest.raises(PageError, match="exits with 1"):
        follow(fenced("console", "$ read answer"))


def test_what_looks_like_an_end_is_printed_like_anything_else(follow) -> None:
    follow(
        fenced("python", "print('a', end='')")
        + fenced("text", "a")
        + fenced("python", "print('\\0\\n', end='')", "print('done' * 50_000)")
        + fenced("text", "\0", "done...")
        + fenced("console", "$ printf '\\0'; printf %200000d 1", "\0...1")
    )


def test_what_goes_on_in_the_background_is_not_waited_for(follow, tmp_path: Path) -> None:
    follow(
        fenced("sh", "sleep 600 &", "echo $! > sleeps.pid", "while echo on; do :; done &")
        + fenced("sh", "sleep 600 & export ALSO=$!")
        + fenced("python", "import os, subprocess", "sleeps = subprocess.Popen(['sleep', '600'])")
        + fenced("sh", "kill $(cat sleeps.pid) $ALSO", "export LONG=$(printf %100000d 1)")
        + fenced("python", "sleeps.kill()", "print(sleeps.wait())")
        + fenced("text", "-9")
        + fenced("console", "$ echo ${#LONG}", "100000")
    )


def test_marked_blocks_are_not_run(follow) -> None:
    follow("<!-- not run: needs a Kaggle account -->\n" + fenced("sh", "false"))


@pytest.mark.parametrize(
    ("expected", "output", "fits"),
    [
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd\n", True),
        ("a...c", "abbbc\n", True),
        ("a...c", "a\nc\n", False),
        ("a", "a\nb\n", False),
        ("a  b", "a b\n", False),
    ],
)
def test_dots_stand_for_anything_on_a_line_or_for_any_lines(
    expected: str, output: str, fits: bool
) -> None:
    assert is_shown(expected, output) is fits
